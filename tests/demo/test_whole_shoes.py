"""Dealers of software deal every game to the last round of its shoes and beyond, at every kind of odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from controller.demo.bench_dealer import BADGE, BenchDealer
from controller.demo.dealer import Dealer
from controller.demo.devices import DealerHand
from controller.demo.players import Players
from controller.games.game import Game
from controller.games.registry import all_games
from controller.round.turn import game_of
from controller.vocabulary.configuration import RoundSettings
from tests.demo.felt import Felt, Keys, OpenShoe

SHOES, ROUNDS = 2, 100
"""At least so many, of the fewest decks: there the last rounds of a shoe are a good part of all."""


def tables(game: type[Game]) -> list[dict[str, Any]]:
    """Every kind of table of a game that the demo has, and at live odds one with every betting round."""
    fewest = {"decks": game.deck_counts[0]}
    found: list[dict[str, Any]] = []
    for odds in ("fixed", "live", "additional") if game.live_odds else ("fixed",):
        for squeeze in (False, True) if "squeeze" in game.house_settings else (False,):
            table = {"game": game.name, "odds": odds, "squeeze": squeeze, "more": fewest}
            found.append(table)
            if odds != "fixed" and not squeeze:
                found.append(table | {"more": fewest | {"betting_rounds": ["deal", "first", "four"]}})
    return found


TABLES = [table for game in all_games().values() for table in tables(game)]
EACH_TABLE = pytest.mark.parametrize("table", TABLES, ids=lambda table: "-".join(map(str, table.values())))


class Evening:
    """A table, and at live odds players at it."""

    def __init__(self, table: dict[str, Any]) -> None:
        self.players: Players | None = None
        if table["odds"] != "fixed":
            self.players = Players(table["game"], seed=1, tell=lambda line: None)
        self.felt = Felt(**table, hear=self._hear)
        self.keys, self.shoe = Keys(self.felt), OpenShoe(self.felt)
        self.game = game_of(self.felt.configuration)
        self.dealer: Dealer | None = None

    def _hear(self, message: str, name: str, data: Mapping[str, object]) -> None:
        if self.players is not None:
            self.players.hear(message, name, data)
        if self.over and self.dealer is not None:
            self.dealer.leave()

    @property
    def over(self) -> bool:
        """Whether the shoes are dealt."""
        said = self.felt.said
        return said["shoe.ended"] >= SHOES and said["round.settled"] >= ROUNDS

    def check(self) -> None:
        """All rounds were settled, nothing was refused, and no betting round had nothing to offer."""
        felt, said = self.felt, self.felt.said
        assert self.over
        assert said["round.opened"] == said["round.settled"]
        assert not felt.refused
        assert all(felt.offered)
        if self.players is not None:
            assert self.players.book.taken > said["round.settled"]
            assert self.players.faults() == []


@EACH_TABLE
def test_the_dealer_of_the_demo_deals_shoe_after_shoe(table: dict[str, Any]) -> None:
    evening = Evening(table)
    evening.dealer = Dealer(
        evening.game,
        evening.keys,
        DealerHand(evening.shoe, evening.felt.seen, None),
        None,
        rounds=None,
        pace_s=0,
        seed=1,
        ready=lambda: None,
        finished=lambda: None,
    )
    evening.dealer.run()
    assert evening.dealer.complaint is None
    evening.check()


@EACH_TABLE
def test_the_dealer_of_the_bench_deals_shoe_after_shoe(table: dict[str, Any]) -> None:
    evening = Evening(table)
    said: list[str] = []
    dealer = BenchDealer(
        evening.game,
        evening.keys,
        evening.shoe,
        None,
        pace_s=0,
        seed=1,
        badge=BADGE,
        clocks=RoundSettings(),
        tell=said.append,
        alive=lambda: None,
    )
    dealer.window = evening.felt.window
    while not evening.over:
        assert dealer.step(), said
    assert said == []
    evening.check()
