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
        self.limits: dict[str, Any] | None = None
        """What the round's opening says of stakes."""

    def message(self, world: World, message: Message) -> None:
        if message.name == "round.opened":
            self.limits = message.data.get("limits")
            known = getattr(world.drawn.core, "limits", None)
            if self.limits != (None if known is None else msgspec.to_builtins(known)):
                world.complain("a round opens with other limits", f"{self.limits}: {known}")
        live = world.rules.game.odds != "fixed"
        if live and self.book is None:
            self.book = Book(world.rules.name, *([world.rules.house] if world.rules.house else []))
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
            stake = dice.randint(1, 99_999)
            staked = sum(slip.stake_minor for slip in self.book.slips if slip.spot == spot)
            summed = {"spot": spot, "stake": stake + staked}
            refusal = None if self.limits is None else outside(summed, self.limits)
            try:
                self.book.take("ada", spot, stake, name, prices[spot])
            except InputError as error:
                if error.code != refusal:
                    world.complain("the book refuses a bet", f"{error.code}: {summed}")
            else:
                if refusal is not None:
                    world.complain("the book takes a stake outside the limits", f"{refusal}: {summed}")

    def _settle(self, world: World) -> None:
        """The round that has just become final, with bets on some spots."""
        hands = world.felt.hands() or world.felt.taken_away
        if not world.excuses and world.course.rounds % ONE_IN == 1:
            self._check_result(world, hands)
        if world.excuses and world.course.result is not None:
            hands = {place: list(cards) for place, cards in world.course.result["hands"].items()}
        if self.book is not None:
            self._check_book(world, hands)
        elif world.course.rounds % ONE_IN == 0 and not world.excuses:
            self._check_settle(world, hands)

    def _check_result(self, world: World, hands: dict[str, list[str]]) -> None:
        """What the result says of each spot; one with live prices pays by what was offered."""
        scored = world.rules.score(world.rules.line(hands))
        said = world.course.result["bets"] if world.course.result is not None else {}
        for spot in sorted({*scored, *said}):
            one, other = scored.get(spot), said.get(spot)
            live = world.rules.game.odds != "fixed" and one and other and other["pays"] is None
            if one != other and not (live and one["result"] == other["result"]):
                world.complain("the result says something else of a spot", f"{spot}: {other}, by hand {one}")

    def _check_settle(self, world: World, hands: dict[str, list[str]]) -> None:
        rules, dice = world.rules, world.plan.dice("bets", world.course.rounds)
        line = rules.line(hands)
        scored = rules.score(line)
        spots = [spot for spot in scored if not spot.endswith((".play", ".bonus"))]
        bets = [
            {"spot": spot, "stake": dice.randint(1, 99_999)}
            for spot in dice.sample(spots, min(3, len(spots)))
        ]
        line |= {"bets": bets}
        if rules.takes_decisions:
            line |= {"decisions": {hand: dice.choice(("play", "fold", None)) for hand in ("hand1", "hand2")}}
        asked = {key: value for key, value in line.items() if value is not None}
        if rules.has_bank or rules.name == "2-card-action":
            asked["decks"] = rules.decks
        if rules.house is not None:
            asked["pay_table"] = rules.house
        refusal = None
        if self.limits is not None:
            asked["limits"] = self.limits
            refusal = next(filter(None, (outside(bet, self.limits) for bet in bets)), None)
        if rules.name == "two-cards-high":
            asked |= {
                key: getattr(rules.game, key) for key in ("pair_tie", "pair_against_unqualified_dealer")
            }
        try:
            settled: dict[str, Any] = msgspec.to_builtins(settle_line(asked))
        except InputError as error:
            if error.code == refusal:
                return
            world.complain("settle refuses a final round", f"{error.code}: {asked}")
            return
        if refusal is not None:
            world.complain("settle takes a stake outside the limits", f"{refusal}: {asked}")
            return
        naive: dict[str, Any] = by_hand.settle(line, scored)
        if any(settled[key] != naive[key] for key in ("staked", "returned", "net")):
            world.complain("settle pays another amount", f"{settled} {naive}")

    def _check_book(self, world: World, hands: dict[str, list[str]] | None) -> None:
        """Every slip once more, by the price as it was written."""
        assert self.book is not None
        slips = {slip.number: slip for slip in self.book.slips}
        won = {} if hands is None or not slips else world.rules.score(world.rules.line(hands))
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


def outside(bet: dict[str, Any], limits: dict[str, Any]) -> str | None:
    """How a stake breaks the limits; None if it does not."""
    limit = limits["spots"].get(bet["spot"]) or limits.get("table")
    if limit is None or limit["min"] <= bet["stake"] <= limit["max"]:
        return None
    return "below_minimum" if bet["stake"] < limit["min"] else "above_maximum"
