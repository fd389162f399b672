"""Commands from outside: what is understood, what is refused, and why. Pure: times are passed in.

A command is JSON on ``commands/<name>`` with an ``id``, under which the answer comes (``replies/<id>``), and
``expires``, RFC 3339, at most ``LONGEST_S`` ahead. No command voids a round, enters or reveals a card.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from datetime import datetime, timedelta
from typing import Annotated, Literal

import msgspec

from controller.outbox.topics import NAMES, is_name
from controller.vocabulary.errors import NOT_JSON, read_json
from controller.vocabulary.outside import read_once

LONGEST_S = 300
LARGEST_BYTES = 4096

_Moment = Annotated[datetime, msgspec.Meta(tz=True)]
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class _Request(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    """The answer comes on ``replies/<id>``; yours alone."""
    expires: _Moment
    """Too old is refused."""


class Resend(_Request, frozen=True):
    """Send the stream again from ``sequence`` on; ``epoch``, where given, must be ours."""

    sequence: Annotated[int, msgspec.Meta(ge=1, le=1 << 53)]
    """The first that is to come again."""
    epoch: int | None = None
    """Left out: the present one."""
    last: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)] | None = None
    """The last that is to come again; left out: the head. Below ``sequence``: nothing comes. One below is an
    *echo*, which is answered and changes nothing; lower still ends what is on its way."""
    consumer: str | None = None
    """It comes on ``repeats/<consumer>``, for nobody else; left out: on ``events``, for all."""

    @property
    def is_echo(self) -> bool:
        """Whether it is asked for its answer alone."""
        return self.last == self.sequence - 1


class Snapshot(_Request, frozen=True):
    """Tell the head of the stream and all retained state at once."""


class Decisions(_Request, frozen=True):
    """The settlement system's numbers of players for one hand (``decisions_reported``)."""

    hand: str
    """``hand1`` or ``hand2``."""
    play: _Count
    """Players who play."""
    fold: _Count
    """Players who fold."""
    auto: _Count = 0
    """Players who were folded by the clock."""
    round: str | None = None
    """The round that is meant; another one's numbers are refused."""


class Seats(_Request, frozen=True):
    """The seats that have bets and are dealt to (``seats_taken``), where ``game.seats_from`` is ``wagering``.

    Heard until bets close; what ``round.bets_closed`` says then is what counts.
    """

    seats: tuple[_Count, ...]
    """Their numbers, at least one."""
    round: str | None = None
    """The round that is meant; another one's seats are refused."""


class Who(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Another unit that wants to be this table asks whether somebody is; any answer says so."""

    id: str
    """The answer comes on ``replies/<id>``."""
    expires: _Moment
    """Too old is refused."""
    epoch: _Count
    """Of the journal of who asks."""
    boot: _Count
    """Of who asks."""


Command = Resend | Snapshot | Decisions | Seats | Who

COMMANDS: dict[str, type[Command]] = {
    "resend": Resend,
    "snapshot": Snapshot,
    "decisions": Decisions,
    "seats": Seats,
    "who": Who,
}
"""All commands there are."""

PER_MINUTE = {"resend": 20, "snapshot": 60, "decisions": 600, "seats": 600, "who": 60}
"""More often than that is refused; a tenth of it may come at once."""
COMMANDS_PER_MINUTE = 1200
"""Of one name: more are not read at all."""

RefusalCode = Literal[
    "retained",
    "too_large",
    "unknown",
    "malformed",
    "late",
    "expires_too_far_ahead",
    "too_often",
    "other_epoch",
    "beyond_head",
    "no_longer_kept",
    "unknown_consumer",
    "other_round",
    "seats_from_panel",
]


class CommandArrived(msgspec.Struct, frozen=True):
    """A command that is the table's business; answer through ``Publisher.subscription``."""

    name: str
    command: Decisions | Seats


class Refusal(msgspec.Struct, frozen=True):
    """A command that is not carried out."""

    name: str
    code: RefusalCode
    message: str
    id: str | None = None
    """Where to answer, None if that could not be read."""


def read_command(name: str, payload: bytes, *, retained: bool, now: datetime) -> Command | Refusal:
    """The command that came on ``commands/<name>``, or why it is refused. ``now`` is aware, UTC."""
    if retained:
        text = "a command must not be retained: it would run again and again"
        return Refusal(name, "retained", text, id_in(payload))
    if len(payload) > LARGEST_BYTES:
        text = f"a command has at most {LARGEST_BYTES} bytes, this one {len(payload)}"
        return Refusal(name, "too_large", text)
    shape = COMMANDS.get(name)
    if shape is None:
        text = f"there is no command of that name; there are {', '.join(COMMANDS)}"
        return Refusal(name, "unknown", text, id_in(payload))
    try:
        command = read_once(payload, shape)
    except NOT_JSON as error:
        return Refusal(name, "malformed", str(error), id_in(payload))
    if not is_name(command.id):
        return Refusal(name, "malformed", f"id {command.id[:64]!r} cannot be the end of a topic: use {NAMES}")
    if command.expires - now > timedelta(seconds=LONGEST_S):
        text = f"expires may be {LONGEST_S} s ahead at most; now is {now.isoformat()}"
        return Refusal(name, "expires_too_far_ahead", text, command.id)
    return too_late(name, command, now) or command


def too_late(name: str, command: Command, now: datetime) -> Refusal | None:
    """Why a command is not carried out any more; None if it has not expired."""
    if command.expires > now:
        return None
    text = f"it expired at {command.expires.isoformat()}, now is {now.isoformat()}"
    return Refusal(name, "late", text, command.id)


class _Named(msgspec.Struct):
    id: str


def id_in(payload: bytes) -> str | None:
    """The id under which to answer, None where none can be read."""
    if len(payload) > LARGEST_BYTES:
        return None
    named = read_json(payload, _Named)
    return named.id if named is not None and is_name(named.id) else None


class Allowance:
    """How often a command may come: ``per_minute`` in the long run, a tenth of that at once. Times in
    seconds."""

    def __init__(self, per_minute: int) -> None:
        self._per_second = per_minute / 60
        self._most = max(per_minute / 10, 1.0)
        self._left = self._most
        self._last_s: float | None = None

    def take(self, now_s: float) -> bool:
        """Whether one more is allowed now; takes it if so."""
        if self._last_s is not None:
            self._left = min(self._left + max(now_s - self._last_s, 0.0) * self._per_second, self._most)
        self._last_s = now_s
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True
