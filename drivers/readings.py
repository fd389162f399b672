"""Readings: what a device said, in the device's own terms.

A reading knows nothing of rounds, positions or rules; `shell/intake` turns it into an event. Every reading
is a frozen value. Fields that a device does not know are ``None``. Card codes are passed on as the device
gave them.
"""

from __future__ import annotations

import msgspec


class CardReported(msgspec.Struct, frozen=True):
    """A card was drawn and read.

    `code` is "8S" (rank then suit) from a shoe that knows cards, else the raw text of the mark.
    `destination` is the device's term for where it believes the card goes (Angel Eye: "player", "banker",
    "burn", "burn_count_first", "burn_count"; outside a game "lock_mode", "error_mode", "setting_mode"),
    `index` its running number there, from 0. `in_game` is false if the device says that the card was
    drawn outside a game. `again` is true if the device itself says that it reports an earlier card once
    more. `confidence` is from 0 to 1.
    """

    code: str
    destination: str | None
    index: int | None
    in_game: bool = True
    serial: str | None = None
    confidence: float | None = None
    again: bool = False


class CardNotRead(msgspec.Struct, frozen=True):
    """A card, or something in a card's place, passed and no card code is known for it. `detail` is for
    people.
    """

    detail: str = ""
    in_game: bool = True


class Redealt(msgspec.Struct, frozen=True):
    """The shoe says that the hand is wiped and dealt again, beginning with this card (None if it did not
    read).
    """

    code: str | None
    destination: str | None
    index: int | None


class FeltSeen(msgspec.Struct, frozen=True):
    """The cards that lie face up on the table, each as "8S", in order; equal ones as often as they lie there.
    A card that is not seen well is not among them.
    """

    cards: tuple[str, ...]


class CutCardReported(msgspec.Struct, frozen=True):
    """The cut card came out."""


class ResultGiven(msgspec.Struct, frozen=True):
    """The shoe's own opinion of the result; `winner` is "player", "banker", "tie" or "forced_quit"."""

    winner: str
    player_pair: bool
    banker_pair: bool


class StartReported(msgspec.Struct, frozen=True):
    """The shoe says that it (or its communication) has started: after power on or a reset."""


class ShoeStandby(msgspec.Struct, frozen=True):
    """The shoe is ready and no game is running in it."""


class ErrorRaised(msgspec.Struct, frozen=True):
    """The device is in trouble. `in_error_mode` is true if it stops until somebody clears the
    error.
    """

    code: int | str
    text: str
    in_error_mode: bool = False


class ErrorCleared(msgspec.Struct, frozen=True):
    """The trouble of this code is over."""

    code: int | str
    text: str


class WarningGiven(msgspec.Struct, frozen=True):
    """The device wants attention, but goes on."""

    code: str
    text: str


class LockStateReported(msgspec.Struct, frozen=True):
    """The lock of the shoe is now so."""

    locked: bool


class PresetChanged(msgspec.Struct, frozen=True):
    """Somebody changed a preset at the device; `detail` is what it sent along, as hexadecimal digits."""

    detail: str = ""


class ProcessReported(msgspec.Struct, frozen=True):
    """The device's free-form answer to a query; `text` is printable ASCII, other bytes as ``\\xNN``."""

    text: str


class CommandAnswered(msgspec.Struct, frozen=True):
    """What became of a command that we sent: ACK (`ok`), NAK (`code`), or no answer at all (`ok` false, no
    `code`).
    """

    command: str
    ok: bool
    code: str | None


class KeyPressed(msgspec.Struct, frozen=True):
    """One understood line of the keypad protocol (or of the button that sends it): word known, arguments
    well formed.
    """

    line: str
    word: str
    arguments: tuple[str, ...]


class ShufflerSaid(msgspec.Struct, frozen=True):
    """One understood line of the shuffler protocol: word known, arguments well formed.

    A machine on pins says the same lines; one that does not count says `DONE` and no number.
    """

    line: str
    word: str
    arguments: tuple[str, ...]


class BeamBroken(msgspec.Struct, frozen=True):
    """Something is in the light beam at the shoe's exit."""


class BeamRestored(msgspec.Struct, frozen=True):
    """The light beam at the shoe's exit is free again; `broken_ms`: for how long it was not."""

    broken_ms: int


class InputsRead(msgspec.Struct, frozen=True):
    """Which inputs of a device on pins are active when it is opened; for people."""

    active: tuple[str, ...]


class InputStuck(msgspec.Struct, frozen=True):
    """An input has been active for longer than a person or a card can keep it so."""

    name: str


class InputFreed(msgspec.Struct, frozen=True):
    """An input that was reported as stuck is at rest again."""

    name: str


class Unreadable(msgspec.Struct, frozen=True):
    """Bytes that made no sense: a device fault for the journal.

    `continued` marks the later pieces of one over-long line, so that it is answered once. `may_be_card`
    says that the device reports cards without numbers, so that these bytes may have been one: nobody will
    tell. `refused`: no fault; a person asked for a number that cannot be meant, and is told so.
    """

    reason: str
    continued: bool = False
    may_be_card: bool = False
    refused: bool = False


class DeviceUnreachable(msgspec.Struct, frozen=True):
    """The device cannot be reached any more, or could not be reached at start."""

    reason: str


class DeviceReachable(msgspec.Struct, frozen=True):
    """The device can be reached.

    `identity` is what the system knows of the device behind the path. `first` marks the first connection
    since start, `replaced` that another device than before answers there. What the device said while nobody
    listened is unknown.
    """

    identity: str | None
    first: bool = False
    replaced: bool = False


Reading = (
    CardReported
    | CardNotRead
    | Redealt
    | CutCardReported
    | FeltSeen
    | ResultGiven
    | StartReported
    | ShoeStandby
    | ErrorRaised
    | ErrorCleared
    | WarningGiven
    | LockStateReported
    | PresetChanged
    | ProcessReported
    | CommandAnswered
    | KeyPressed
    | ShufflerSaid
    | BeamBroken
    | BeamRestored
    | InputsRead
    | InputStuck
    | InputFreed
    | Unreadable
    | DeviceUnreachable
    | DeviceReachable
)
