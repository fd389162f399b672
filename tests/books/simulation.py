"""A baccarat table at live odds, dealt through ``Table.handle`` for many rounds with mishaps, and its book.

Cards, bets and mishaps come from a seed. Every bet is settled once more from the physical cards, by rules
written down again (``tests/vectors``) and in fractions, and the house's account is compared with that to the
unit.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from math import sqrt

import msgspec

from controller.book import BANK, Book, Slip
from controller.odds.baccarat import baccarat_odds
from controller.odds.prices import PUSHING
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import CoreConfiguration, GameSettings, ShoeSettings, TableSettings
from controller.vocabulary.effects import Refuse, Say
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import AnyEvent, Stamp
from controller.vocabulary.messages import RoundOdds
from tests.vectors.baccarat import score_baccarat

BY = "4711"
PLAYERS = ("ada", "ben", "cleo")
BREAKS = (2, 4)
MISHAPS = ("hold", "void", "early", "card back", "result back", "void after the result")
IN_1000 = 60
"""In so many of a thousand rounds something goes wrong."""


@dataclass
class Seen:
    """What happened."""

    rounds: int = 0
    bets: int = 0
    staked: int = 0
    returned: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    mishaps: Counter[str] = field(default_factory=Counter)
    results: Counter[str] = field(default_factory=Counter)
    offers: int = 0
    expected: float = 0.0
    """What the house should keep of the bets of all rounds that were not void, by the published chances."""
    variance: float = 0.0
    kept: int = 0
    moved: int = 0
    """Offers that had another price than the one before them in the round."""


class Simulation:
    """One table; :meth:`round` deals a round."""

    def __init__(self, seed: int, in_1000: int = IN_1000) -> None:
        self.in_1000 = in_1000
        self.dice = random.Random(seed)
        game = GameSettings("baccarat", odds="live", betting_rounds=("deal", "first", "four"))
        core = CoreConfiguration(TableSettings("north", "7"), game, shoe=ShoeSettings(unshuffled="off"))
        self.table, self.book, self.seen = Table(1), Book("baccarat"), Seen()
        self.shoe: list[str] = []
        self.dealt: list[str] = []
        self.offered: dict[str, dict[str, float | None]] = {}
        self.chances: dict[str, dict[str, float]] = {}
        self.voided = False
        self._tell(events.TableConfigured(core=msgspec.to_builtins(core)))

    def round(self) -> None:
        """One round from the opening to the settlement, and the check of every bet."""
        if len(self.shoe) < 20:
            self.shoe = [*DECK_52] * 8
            self.dice.shuffle(self.shoe)
            self._tell(events.ShoeLoaded(cards=416, shuffled=True))
        mishap = self.dice.choice(MISHAPS) if self.dice.randrange(1000) < self.in_1000 else ""
        at = self.dice.randrange(5)
        self.dealt, self.offered, self.chances, self.voided = [], {}, {}, False
        self._tell(events.BetsOpened())
        self._bet()
        while self.phase in ("betting", "dealing") and not self.voided:
            if mishap and len(self.dealt) >= at:
                self._mishap(mishap)
                mishap = ""
            elif self.phase == "betting":
                self._tell(events.BetsClosed())
            else:
                self._draw()
        if mishap and not self.voided:
            self._mishap(mishap)
        self._check()
        if self.phase == "result":
            self._tell(events.RoundSettled())
        self.seen.rounds += 1

    @property
    def phase(self) -> str:
        """Of the table."""
        state = self.table.state
        return "idle" if state is None else state.phase

    def _draw(self) -> None:
        card = self.shoe.pop()
        self.dealt.append(card)
        self._tell(events.CardRead(code=card))
        self._bet()

    def _mishap(self, name: str) -> None:
        """Something goes wrong, and people put it right."""
        betting, complete = self.phase == "betting", self.phase == "result"
        if name == "void" or (name == "void after the result" and complete):
            self._tell(events.RoundVoided(reason="supervisor", by=BY))
            self.voided = True
        elif name == "hold" and (betting or self.phase == "dealing"):
            self._tell(events.HoldRequested(by="dealer"))
            self._no_bet_in_a_hold()
            self._tell(events.HoldCleared(choice="continue", by=BY))
            self._bet()
        elif name == "early" and betting:
            card = self.shoe[-1]
            self._tell(events.CardRead(code=card))
            self._no_bet_in_a_hold()
            self._tell(events.HoldCleared(choice="return", by=BY))
        elif (name == "card back" and self.phase == "dealing" and self.dealt) or (
            name == "result back" and complete
        ):
            card = self.dealt.pop()
            self.shoe.append(card)
            self._tell(events.CardReturned(card=card, by=BY))
            while self.phase == "dealing":
                self._draw()
        else:
            return
        self.seen.mishaps[name] += 1

    def _no_bet_in_a_hold(self) -> None:
        """No price of the round is good while the table holds."""
        for offer, prices in self.offered.items():
            for spot, price in prices.items():
                if price is not None:
                    self._refused(spot, offer, price)
                    break

    def _bet(self) -> None:
        """Some take what is offered now; some ask for a price that is gone, or was never there."""
        offer = self.book.offer
        if offer is None or not offer[1]:
            return
        name, prices = offer
        for player in PLAYERS:
            for spot in self.dice.sample(sorted(prices), min(len(prices), self.dice.randint(0, 2))):
                slip = self.book.take(player, spot, self.dice.randint(1, 99_999), name, prices[spot])
                self.seen.bets += 1
                assert self.offered[slip.offer][slip.spot] == slip.price
        if self.dice.random() < 0.05:
            spot = self.dice.choice(sorted(prices))
            self._refused(spot, name, round(prices[spot] + 0.01, 2))
            self._refused(spot, "1-1", prices[spot])

    def _refused(self, spot: str, offer: str, price: float) -> None:
        before = self.book.accounts.copy()
        try:
            self.book.take("eve", spot, 100, offer, price)
        except InputError as error:
            self.seen.refused[error.code] += 1
            assert self.book.accounts == before
        else:
            raise AssertionError(f"{spot} was taken at {price} of offer {offer}")

    def _tell(self, event: AnyEvent) -> None:
        """An event to the table, and what it says to the book."""
        self.table, effects = self.table.handle(event, Stamp(at="2026-01-31T20:15:00Z", sequence=1))
        for effect in effects:
            assert not isinstance(effect, Refuse), (event, effect)
            if isinstance(effect, Say):
                self._hear(effect)

    def _hear(self, say: Say) -> None:
        message, said = f"1-{say.sequence}", say.message
        if isinstance(said, RoundOdds):
            offered = said.offered
            assert isinstance(offered, dict)
            self.seen.offers += 1
            self._check_chances(said)
            self.seen.moved += any(offered != before for before in list(self.offered.values())[-1:])
            self.offered[message] = offered
            assert isinstance(said.probabilities, dict)
            self.chances[message] = said.probabilities
        self.book.hear(message, said.name, msgspec.to_builtins(said))

    def _check(self) -> None:
        """Each bet of the round once more, and all accounts."""
        assert not self.book.faults(), self.book.faults()
        won = {} if self.voided else score_baccarat({"cards": list(self.dealt), "game": "baccarat"})["bets"]
        returned = {slip.number: self._returned(slip, won) for slip in self.book.slips}
        assert {paid.slip.number: paid.returned_minor for paid in self.book.paid} == returned
        self.seen.staked += sum(slip.stake_minor for slip in self.book.slips)
        self.seen.returned += sum(returned.values())
        assert self.book.accounts[BANK] == self.seen.staked - self.seen.returned
        if not self.voided:
            self.seen.kept += sum(slip.stake_minor - returned[slip.number] for slip in self.book.slips)
            self._expect()
            self.seen.results[
                next(side for side in ("player", "banker", "tie") if won[side]["result"] == "win")
            ] += 1

    def _check_chances(self, said: RoundOdds) -> None:
        """What is offered follows from the cards that nobody has seen and those that lie, and from no other:
        every open price may win, and may lose."""
        assert isinstance(said.offered, dict)
        if said.suspended:
            assert set(said.offered.values()) == {None}
            return
        remaining = Counter(card[0] for card in self.shoe)
        ways, total = baccarat_odds(
            {rank: remaining[rank] for rank in RANKS}, [Card(one) for one in self.dealt]
        )
        assert said.probabilities == {spot: one / total for spot, one in ways.items()}
        for spot, price in said.offered.items():
            pushes = ways["tie"] if spot in PUSHING else 0
            assert price is None or 0 < ways[spot] < total - pushes, f"{spot} is decided, at {price}"

    def _expect(self) -> None:
        """What the round's bets should have brought, and how far chance takes them from it; bets of one round
        go together, so what one may bring is counted as if all of them were one."""
        spread = 0.0
        for slip in self.book.slips:
            chances = self.chances[slip.offer]
            win, push = chances[slip.spot], chances["tie"] if slip.spot in ("player", "banker") else 0.0
            mean = win * slip.price + push
            self.seen.expected += slip.stake_minor * (1 - mean)
            spread += slip.stake_minor * sqrt(win * slip.price**2 + push - mean**2)
        self.seen.variance += spread**2

    def _returned(self, slip: Slip, won: dict[str, dict[str, str]]) -> int:
        """By the price as it was written, in whole hundredths."""
        assert self.offered[slip.offer][slip.spot] == slip.price
        result = "push" if self.voided else won[slip.spot]["result"]
        if result != "win":
            return slip.stake_minor if result == "push" else 0
        return int(slip.stake_minor * Fraction(f"{slip.price:.2f}"))

    @property
    def sigmas(self) -> float:
        """How far what the house kept is from what it should keep by the published chances; the spread is
        an upper bound."""
        return (self.seen.kept - self.seen.expected) / sqrt(self.seen.variance)


def simulate(rounds: int, seed: int, in_1000: int = IN_1000) -> Simulation:
    """So many rounds; AssertionError where anything does not balance to the unit."""
    simulation = Simulation(seed, in_1000)
    for _ in range(rounds):
        simulation.round()
    return simulation
