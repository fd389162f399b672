"""Simulated players bet while bets are open; ``settle``, the book and the second reading of the rules agree.

What is settled is what lies on the felt. A table at live odds takes bets into the product's own book; every
other one is settled by ``settle``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from controller.book import BANK, Book
from controller.settlement import settle_line
from controller.vocabulary.errors import InputError
from tests.simulation.course import Message
from tests.simulation.oracles import Oracle
from tests.simulation.world import World
from tests.vectors import by_hand

ONE_IN = 4
"""Rounds in which somebody bets."""


class Money(Oracle):
    """The players of one table."""

    def __init__(self) -> None:
        self.book: Book | None = None
        self.offered: dict[str, Fraction] = {}
        """What the book owes by hand: slip -> price."""
        self.balance = 0

    def message(self, world: World, message: Message) -> None:
        live = world.rules.game.odds != "fixed"
        if live and self.book is None:
            self.book = Book(world.rules.name)
        if self.book is not None and (live or message.name == "round.void"):
            self.book.hear(message.id, message.name, message.data)
        if message.name == "round.void" and self.book is not None:
            self._check_book(world, None)
        if message.name == "round.final":
            self._settle(world)

    def acted(self, world: World) -> None:
        if self.book is None or world.course.rounds % ONE_IN:
            return
        offer = self.book.offer
        if offer is None:
            return
        dice = world.plan.dice("bets", world.course.rounds, world.acts)
        name, prices = offer
        for spot in dice.sample(sorted(prices), min(2, len(prices))):
            if not world.course.betting or world.screen.held is not None:
                world.complain("a bet is taken while none may be", f"{spot} of {name}")
                return
            self.book.take("ada", spot, dice.randint(1, 99_999), name, prices[spot])

    def _settle(self, world: World) -> None:
        """The round that has just become final, with bets on some spots."""
        hands = world.felt.hands() or world.felt.taken_away
        if world.excuses and world.course.result is not None:
            hands = {place: list(cards) for place, cards in world.course.result["hands"].items()}
        if self.book is not None:
            self._check_book(world, hands)
        elif world.course.rounds % ONE_IN == 0 and not world.excuses:
            self._check_settle(world, hands)

    def _check_settle(self, world: World, hands: dict[str, list[str]]) -> None:
        rules, dice = world.rules, world.plan.dice("bets", world.course.rounds)
        line = rules.line(hands)
        spots = [spot for spot in by_hand.score(line)["bets"] if not spot.endswith((".play", ".bonus"))]
        bets = [
            {"spot": spot, "stake": dice.randint(1, 99_999)}
            for spot in dice.sample(spots, min(3, len(spots)))
        ]
        line |= {"bets": bets}
        if rules.takes_decisions:
            line |= {"decisions": {hand: dice.choice(("play", "fold")) for hand in ("hand1", "hand2")}}
        asked = {key: value for key, value in line.items() if value is not None}
        if rules.has_bank or rules.name == "2-card-action":
            asked["decks"] = rules.decks
        try:
            settled: dict[str, Any] = msgspec.to_builtins(settle_line(asked))
        except InputError as error:
            world.complain("settle refuses a final round", f"{error.code}: {asked}")
            return
        naive: dict[str, Any] = by_hand.settle(line)
        if any(settled[key] != naive[key] for key in ("staked", "returned", "net")):
            world.complain("settle pays another amount", f"{settled} {naive}")

    def _check_book(self, world: World, hands: dict[str, list[str]] | None) -> None:
        """Every slip once more, by the price as it was written."""
        assert self.book is not None
        slips = {slip.number: slip for slip in self.book.slips}
        won = {} if hands is None or not slips else by_hand.score(world.rules.line(hands))["bets"]
        for slip in slips.values():
            result = "push" if hands is None else won[slip.spot]["result"]
            due = slip.stake_minor if result == "push" else 0
            if result == "win":
                due = int(slip.stake_minor * Fraction(f"{slip.price:.2f}"))
            paid = [one.returned_minor for one in self.book.paid if one.slip.number == slip.number]
            if paid != [due]:
                world.complain("the book pays another amount", f"{slip}: {paid}, by hand {due}")
            self.balance += slip.stake_minor - due
        faults = self.book.faults()
        if faults or self.book.accounts[BANK] != self.balance:
            world.complain("the book does not balance", f"{faults} {self.book.accounts[BANK]} {self.balance}")
