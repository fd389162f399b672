"""What all deals return is what ``par`` promises, spot by spot."""

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


@pytest.mark.parametrize(("layout", "decks"), [("A", 4), ("B", 6), ("C", 4), ("C", 8)])
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
