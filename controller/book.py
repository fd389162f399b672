"""A book of bets at live odds: what is taken, at which price, and what becomes of each unit.

It hears the messages of one table's stream in their order and knows nothing else, as a settlement system
does. A bet is taken only while bets are open, at a price of the last ``round.odds``; its slip keeps the id of
that message, and the settlement holds it against everything that was offered in the round. A result that is
replaced, and a void, take back what was paid before. Every movement leaves one account and enters another,
so all accounts together are always nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from controller.games.line import read_round
from controller.offers import read_limits, read_offers
from controller.settlement import Bet, read_bets, refund, settle
from controller.vocabulary.errors import InputError
from controller.vocabulary.limits import Limits

STAKES = "stakes"
"""The account of bets that are not settled yet."""
BANK = "bank"
"""The account of the house."""

CLOSING = frozenset(
    {
        "round.opened",
        "round.bets_closed",
        "table.held",
        "round.result",
        "round.settled",
        "round.final",
        "round.void",
    }
)
"""After these no price that was offered before holds; after a hold another offer comes."""

Data = Mapping[str, object]
_NONE: frozenset[str] = frozenset()
"""Bets at live odds ask for no decision."""


class Slip(msgspec.Struct, frozen=True):
    """A bet that was taken: ``offer`` is the id of the ``round.odds`` message, ``price`` what it offered."""

    number: int
    round: str
    player: str
    spot: str
    stake_minor: int
    offer: str
    price: float


class Paid(msgspec.Struct, frozen=True):
    """What a slip got back, its stake included."""

    slip: Slip
    result: str
    returned_minor: int


class Move(msgspec.Struct, frozen=True):
    """An amount of minor units that left one account and entered another."""

    source: str
    target: str
    amount_minor: int


class Book:
    """The bets of one table."""

    def __init__(self, game: str, pay_table: object = None) -> None:
        """``pay_table``: the house's own, as in a line of ``settle``; None: the published one."""
        self._line: Data = {"game": game, "pay_table": pay_table}
        self.accounts: Counter[str] = Counter()
        """Balance of each account, minor units; a player's begins at 0 and may be owed or owing."""
        self.slips: list[Slip] = []
        """Of the running or last round, in the order in which they were taken."""
        self.paid: list[Paid] = []
        """What became of them, as the last word on the round has it."""
        self.taken = 0
        self._round: str | None = None
        self._offers: dict[str, dict[str, float | None]] = {}
        self._open: str | None = None
        self._betting = False
        """Between the opening and the close of a betting round."""
        self._made: list[Move] = []
        self.limits: Limits | None = None
        """Of the running or last round."""

    @property
    def offer(self) -> tuple[str, dict[str, float]] | None:
        """Id and prices that a bet can be taken at now; no price where all are suspended. None while bets are
        closed."""
        if self._open is None:
            return None
        prices = self._offers[self._open]
        return self._open, {spot: price for spot, price in prices.items() if price is not None}

    def hear(self, message: str, name: str, data: Data) -> None:
        """The next message of the stream: its id, its name as ``round.odds``, its data."""
        if name in CLOSING:
            self._open = None
            self._betting = self._betting and name == "table.held"
        match name:
            case "round.opened":
                self.slips, self.paid, self._made = [], [], []
                self._round, self._offers, self._betting = str(data["round"]), {}, not data["free_hand"]
                self.limits = read_limits(read_round(self._line).game, data.get("limits"))
            case "round.bets_opened":
                self._betting = True
            case "round.odds" if "offered" in data:
                self._offers[message] = msgspec.convert(data["offered"], dict[str, float | None])
                self._open = message if self._betting else None
            case "round.result" if data["round"] == self._round:
                self._settle({"hands": data["hands"]})
            case "round.void" if data["round"] == self._round:
                self._settle({}, void=True)

    def take(self, player: str, spot: str, stake_minor: int, offer: str, price: float) -> Slip:
        """Take a bet. :class:`InputError` with code ``bets_closed``; ``not_offered`` where this is not the
        price of the spot in the open offer (it has moved, or is suspended); or one of ``settle``: with what
        the player has on the spot already it must be within the limits."""
        if self._open is None or self._round is None:
            raise InputError("no bets are taken now", "bets_closed")
        if offer != self._open or self._offers[offer].get(spot) != price:
            message = f"{spot} is not offered at {price} now; offer {self._open} is open"
            raise InputError(message, "not_offered")
        slip = Slip(self.taken + 1, self._round, player, spot, stake_minor, offer, price)
        mine = [other for other in self.slips if other.player == player]
        self._bets([*mine, slip])  # the settlement's own judgement: what it would refuse later is refused now
        self.taken += 1
        self.slips.append(slip)
        self._move(player, STAKES, stake_minor)
        return slip

    def faults(self) -> list[str]:
        """What does not add up, in words; empty if the books balance to the unit."""
        found = []
        if total := sum(self.accounts.values()):
            found.append(f"all accounts together are {total}, not 0")
        waiting = 0 if self.paid else sum(slip.stake_minor for slip in self.slips)
        if self.accounts[STAKES] != waiting:
            found.append(f"{self.accounts[STAKES]} lie in stakes, the open bets are {waiting}")
        return found

    def _settle(self, line: Data, *, void: bool = False) -> None:
        """The last word on the round so far; it takes an earlier one back."""
        for move in reversed(self._made):
            self._move(move.target, move.source, move.amount_minor)
        self._made, self.paid = [], []
        by_player: dict[str, list[Slip]] = {}
        for slip in self.slips:
            by_player.setdefault(slip.player, []).append(slip)
        given = read_round({**self._line, **line})
        for slips in by_player.values():
            bets = self._bets(slips)
            settled = (
                refund(given.game, bets, _NONE) if void else settle(given.game, given.dealt, bets, _NONE)
            )
            for slip, one in zip(slips, settled, strict=True):
                self._made.append(self._move(STAKES, BANK, slip.stake_minor))
                self._made.append(self._move(BANK, slip.player, one.returned_minor))
                self.paid.append(Paid(slip, one.result, one.returned_minor))

    def _bets(self, slips: Sequence[Slip]) -> list[Bet]:
        """One player's bets as the settlement judges them, with all that was offered in the round."""
        game = read_round(self._line).game
        lines = [
            {
                "id": slip.number,
                "spot": slip.spot,
                "stake": slip.stake_minor,
                "odds": slip.price,
                "offer": slip.offer,
            }
            for slip in slips
        ]
        return read_bets(game, lines, read_offers(game, self._offers), self.limits)

    def _move(self, source: str, target: str, amount_minor: int) -> Move:
        self.accounts[source] -= amount_minor
        self.accounts[target] += amount_minor
        return Move(source, target, amount_minor)
