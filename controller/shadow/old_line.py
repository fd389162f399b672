"""The other system's list: a JSON object a line, a round a line, in the terms of ``score`` and ``settle``.

What a line leaves out is not compared. A key that nobody knows is refused, since a slip of the pen would
leave a difference unseen; ``note`` and keys that begin with ``x-`` are the other system's own.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections.abc import Mapping
from datetime import datetime

import msgspec

from controller.games.line import OWN, SETTINGS, GivenRound, read_round
from controller.vocabulary.configuration import CoreConfiguration
from controller.vocabulary.errors import InputError, why

MOST_BYTES = 65_536
"""A longer line is no round."""


class OldBet(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bet, and what the other system gave back for it, stake included; minor units."""

    spot: str
    stake: int
    returned: int | None = None
    id: str | int | None = None
    odds: float | str | None = None

    @property
    def asked(self) -> dict[str, object]:
        """As ``settle`` takes it."""
        named = {"id": self.id, "odds": self.odds}
        return {"spot": self.spot, "stake": self.stake} | {
            key: value for key, value in named.items() if value is not None
        }


class OldPlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What one player bet and decided, and what the other system gave back in all."""

    bets: tuple[OldBet, ...]
    decisions: dict[str, str] = {}
    returned: int | None = None
    id: str | int | None = None


class OldLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One round as the other system has it; without ``cards`` and ``hands`` only what else it says."""

    round: str | int | None = None
    """Its own name for the round."""
    at: str | None = None
    """When it was played, RFC 3339 with its offset."""
    shoe: str | int | None = None
    """Its own name for the shoe; a line of nothing else says that this shoe is in from now on."""
    cards: tuple[str, ...] | None = None
    """In deal order, those that were too many included."""
    hands: dict[str, tuple[str, ...]] | None = None
    """Instead of ``cards``: by hand."""
    board: tuple[str, ...] | None = None
    seats: tuple[int, ...] | None = None
    outcome: dict[str, object] = {}
    """Any part of the outcome of ``score``."""
    bets: dict[str, object] = {}
    """Spot -> ``"win"``, or ``{"result", "pays"}``."""
    players: tuple[OldPlayer, ...] = ()
    void: bool | str = False
    """Whether it voided the round, or why."""
    note: object = None

    @property
    def is_round(self) -> bool:
        """Whether it tells of a round, and not only of a shoe."""
        return any((self.round is not None, self.has_cards, self.outcome, self.bets, self.players, self.void))

    @property
    def has_cards(self) -> bool:
        """Whether it names cards."""
        return self.cards is not None or self.hands is not None

    def moment(self) -> datetime | None:
        """When it was played."""
        return None if self.at is None else datetime.fromisoformat(self.at)


def read_old_line(raw: bytes) -> OldLine:
    """The round of a line; :class:`InputError` says what is wrong with it."""
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"not JSON: {why(error)}") from error
    try:
        if not isinstance(value, dict):
            raise InputError("a line is a JSON object")
        plain = {key: item for key, item in value.items() if not key.startswith(OWN)}
        line = msgspec.convert(plain, OldLine)
        at = line.moment()
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise InputError(why(error)) from error
    if at is not None and at.tzinfo is None:
        raise InputError(f"at: {at.isoformat()} has no offset; needed is a time as 2026-01-31T20:15:07Z")
    return line


def dealt_of(line: OldLine, configuration: CoreConfiguration) -> GivenRound:
    """Its cards in the order of the deal, as the configured game deals them; :class:`InputError`."""
    game = msgspec.to_builtins(configuration.game)
    asked: dict[str, object] = {key: game[key] for key in SETTINGS if game.get(key) is not None}
    asked |= {"game": game["name"], "pay_table": configuration.pay_table}
    if line.hands is not None:
        asked |= {"hands": {hand: list(cards) for hand, cards in line.hands.items()}}
        seats = tuple(int(hand[4:]) for hand in line.hands if hand[:4] == "seat" and hand[4:].isdigit())
        asked |= {"seats": list(line.seats or seats)} if line.seats or seats else {}
        if line.board is not None:
            asked["board"] = list(line.board)
    else:
        asked |= {"cards": list(line.cards or ())}
        asked |= {"seats": list(line.seats)} if line.seats else {}
    return read_round({key: value for key, value in asked.items() if value is not None})


def flat(value: Mapping[str, object], path: str = "") -> dict[str, object]:
    """Nested objects as one, by the path of each value: ``dealer.category``."""
    found: dict[str, object] = {}
    for key, item in value.items():
        inner = f"{path}{key}"
        found |= flat(item, f"{inner}.") if isinstance(item, Mapping) else {inner: item}
    return found
