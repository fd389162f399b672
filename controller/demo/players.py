"""Players of software for the demo table: they take live prices as they are offered; a book is kept of it.

They hear what a settlement system hears, in its thread; nothing that they do reaches the table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from controller.board.names import spot_name
from controller.book import BANK, Book, Slip
from controller.vocabulary.limits import Limit
from controller.vocabulary.shown import counted

NAMES = ("Ada", "Ben", "Cleo", "Dan", "Eve")
USUAL = Limit(min=1, max=10_000)
"""Where the table names no limits."""
MOST_BETS = 2
"""In one betting round, each player."""


class Players:
    """Some who bet on what they fancy; ``tell`` is given a line for each bet that is settled."""

    def __init__(
        self, game: str, pay_table: object = None, *, seed: int | None, tell: Callable[[str], None]
    ) -> None:
        self.book = Book(game, pay_table)
        self._dice = random.Random(seed)
        self._tell = tell
        self.staked_minor = self.returned_minor = 0
        self._counted: tuple[int, int] = (0, 0)

    def hear(self, message: str, name: str, data: Mapping[str, object]) -> None:
        """A message of the stream."""
        before = self.book.paid
        if name == "round.opened":
            self._counted = (0, 0)
        self.book.hear(message, name, data)
        if name == "round.odds":
            self._bet()
        if self.book.paid is not before and self.book.paid:
            self._count()

    def _bet(self) -> None:
        offer = self.book.offer
        if offer is None or not offer[1]:
            return
        name, prices = offer
        for player in NAMES:
            for spot in self._dice.sample(sorted(prices), min(len(prices), self._dice.randint(0, MOST_BETS))):
                if (stake_minor := self._stake(player, spot)) is not None:
                    self.book.take(player, spot, stake_minor, name, prices[spot])

    def _stake(self, player: str, spot: str) -> int | None:
        """What the limits still leave to the player, minor units; None: no more on this spot."""
        limits = self.book.limits
        limit = (None if limits is None else limits.of(spot)) or USUAL
        staked = sum(one.stake_minor for one in self.book.slips if (one.player, one.spot) == (player, spot))
        least, most = max(limit.min - staked, 1), limit.max - staked
        return self._dice.randint(least, most) if least <= most else None

    def _count(self) -> None:
        """Figures over all rounds; a later word on the same round replaces the earlier one."""
        staked = sum(paid.slip.stake_minor for paid in self.book.paid)
        returned = sum(paid.returned_minor for paid in self.book.paid)
        self.staked_minor += staked - self._counted[0]
        self.returned_minor += returned - self._counted[1]
        self._counted = (staked, returned)
        for paid in self.book.paid:
            self._tell(f"{slip_text(paid.slip)}: {paid.result}, {money(paid.returned_minor)} back")

    def faults(self) -> list[str]:
        """What does not add up."""
        found = self.book.faults()
        kept = self.staked_minor - self.returned_minor
        if self.book.accounts[BANK] != kept:
            found.append(f"the bank has {self.book.accounts[BANK]}, staked less returned is {kept}")
        return found

    def glance(self) -> str:
        """A few words for a screen, at any moment."""
        bank = money(self.staked_minor - self.returned_minor)
        return f"players: {counted(self.book.taken, 'bet')} at live odds, the bank has {bank}"

    def summary(self) -> str:
        """All bets in one line."""
        faults = self.faults()
        verdict = "the books balance" if not faults else "THE BOOKS DO NOT BALANCE: " + "; ".join(faults)
        made = f"{money(self.staked_minor)} staked, {money(self.returned_minor)} returned"
        bank = money(self.book.accounts[BANK])
        return f"{counted(self.book.taken, 'bet')} at live odds: {made}, the bank has {bank}; {verdict}"


def slip_text(slip: Slip) -> str:
    """A slip as people read it."""
    stake, spot = money(slip.stake_minor), spot_name(slip.spot)
    return f"{slip.player} {stake} on {spot} at {slip.price:.2f} (offer {slip.offer})"


def money(minor: int) -> str:
    """Minor units with two places."""
    return f"{'-' if minor < 0 else ''}{abs(minor) // 100}.{abs(minor) % 100:02d}"
