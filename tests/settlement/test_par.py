"""What all deals return is what ``par`` promises, spot by spot; complementary spots share all ways."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from controller.games.game import Dealt
from controller.games.registry import build_game
from controller.par import par
from controller.settlement import Bet, settle
from controller.vocabulary.cards import DECK_52
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import told

STAKE_MINOR = 100
"""No ratio of these tables leaves a fraction of it."""


def spots_of(settings: GameSettings) -> Mapping[str, Any]:
    spots: Mapping[str, Any] = told(par(settings))["spots"]
    return spots


@pytest.mark.parametrize(("layout", "decks"), [("A", 4), ("B", 6), ("C", 8)])
def test_all_deals_of_2_card_action_return_what_par_says(layout: str, decks: int) -> None:
    settings = GameSettings("2-card-action", layout=layout, decks=decks)  # type: ignore[arg-type]
    game, promised = build_game(settings), spots_of(settings)
    bets = [Bet(spot, STAKE_MINOR) for spot in game.spots()]
    returned_minor, deals = dict.fromkeys(game.spots(), 0), 0
    for first, second in product(DECK_52, repeat=2):
        ways = decks * (decks - (first == second))
        deals += ways
        for one in settle(game, [Dealt("first", first), Dealt("second", second)], bets, frozenset()):
            returned_minor[one.spot] += ways * one.returned_minor
    assert deals == 52 * decks * (52 * decks - 1)
    for spot, minor in returned_minor.items():
        assert Fraction(minor, deals * STAKE_MINOR) == Fraction(promised[spot]["return"]), spot


def won(spot: Mapping[str, Any]) -> Fraction:
    """The probability that a spot is paid."""
    ways = sum(count for end, count in spot["ways"].items() if ":" in end)
    return Fraction(ways, spot["total"])


@pytest.mark.parametrize("decks", [1, 4, 8])
def test_complementary_spots_of_baccarat_share_all_ways(decks: int) -> None:
    spots = spots_of(GameSettings("baccarat", decks=decks))
    assert won(spots["player"]) + won(spots["banker"]) + won(spots["tie"]) == 1
    assert won(spots["small"]) + won(spots["big"]) == 1
    pushed = Fraction(spots["player"]["ways"]["push"], spots["player"]["total"])
    assert pushed == won(spots["tie"])
    either = won(spots["player_pair"]) + won(spots["banker_pair"])
    assert either > won(spots["any_pair"]) > won(spots["player_pair"]) == won(spots["banker_pair"])


@pytest.mark.parametrize("decks", [4, 8])
def test_complementary_spots_of_2_card_action_share_all_ways(decks: int) -> None:
    spots = spots_of(GameSettings("2-card-action", layout="C", decks=decks))
    assert sum(won(spots[f"sum_{total}"]) for total in range(3, 21)) + won(spots["pair_A"]) == 1
    assert sum(won(spot) for name, spot in spots.items() if name.startswith("pair_")) == won(
        spots["any_pair"]
    )
    singles = sum(won(spot) for name, spot in spots.items() if name.startswith("single_"))
    assert singles == 2 - won(spots["any_pair"])
