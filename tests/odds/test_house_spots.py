"""Live prices of a house's own spots: exact after every card, from every composition."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from math import perm
from random import Random
from typing import Any

import pytest

from controller.games.baccarat import POINTS, Baccarat
from controller.games.game import Dealt
from controller.games.paytable import load_pay_table
from controller.games.registry import build_game
from controller.odds.baccarat import ODDS
from controller.odds.baccarat_spots import house_ways
from controller.odds.composition import OddsError
from controller.odds.counting import odds_line
from controller.odds.tableau import outcome
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import told

AGAIN: dict[str, list[dict[str, object]]] = {
    "player": [{"when": {"winner": "player"}, "pays": "1:1"}, {"when": {"winner": "tie"}, "result": "push"}],
    "banker": [
        {"when": {"winner": "player"}, "result": "lose"},
        {"when": {"winner": "banker"}, "pays": "1:1"},
        {"result": "push"},
    ],
    "tie": [{"when": {"margin": 0}, "pays": "8:1"}],
    "player_pair": [{"when": {"player_pair": True}, "pays": "11:1"}],
    "banker_pair": [{"when": {"banker_pair": True}, "pays": "11:1"}],
    "any_pair": [{"when": {"any_pair": True}, "pays": "5:1"}],
    "small": [{"when": {"player_cards": 2, "banker_cards": 2}, "pays": "3:2"}],
    "big": [{"when": {"cards": [5, 6]}, "pays": "0.54:1"}],
}
"""The game's own spots, written once more by a house."""

MIXED: dict[str, list[dict[str, object]]] = {
    "a": [{"when": {"player_pair": True, "winner": "player"}, "pays": "9:1"}],
    "b": [
        {"when": {"banker_perfect_pair": True, "margin": [1, 2, 3]}, "pays": "3:1"},
        {"when": {"natural": True, "banker_pair": True}, "result": "push"},
        {"when": {"any_pair": False, "cards": 6, "player_total": [0, 9]}, "pays": "3:1"},
    ],
    "c": [
        {"when": {"player_pair": True, "banker_perfect_pair": True, "winner": "tie"}, "pays": "50:1"},
        {"when": {"player_perfect_pair": True, "banker_pair": True}, "pays": "50:1"},
    ],
    "d": [{"when": {"player_perfect_pair": True, "banker_perfect_pair": True}, "pays": "99:1"}],
    "e": [
        {"when": {"equal_pairs": True, "player_perfect_pair": True, "winner": "tie"}, "pays": "300:1"},
        {"when": {"equal_pairs": True}, "result": "push"},
        {"when": {"equal_pairs": False, "player_pair": True, "banker_pair": True}, "pays": "300:1"},
    ],
}


def game(spots: dict[str, list[dict[str, object]]]) -> Baccarat:
    content = {"spots": {name: {"rows": rows} for name, rows in spots.items()}}
    built = build_game(GameSettings("baccarat", odds="live"), load_pay_table(json.dumps(content).encode()))
    assert isinstance(built, Baccarat)
    return built


def unseen(shoe: list[Card]) -> dict[Card, int]:
    return {card: shoe.count(card) for card in DECK_52}


@pytest.mark.parametrize("seed", range(12))
def test_the_game_s_own_spots_written_anew_have_the_same_prices(seed: int) -> None:
    dice = Random(seed)
    own, written = build_game(GameSettings("baccarat", odds="live")), game(AGAIN)
    assert isinstance(own, Baccarat)
    shoe = dice.sample([*DECK_52] * 8, dice.choice((6, 8, 30, 200, 416)))
    margins = dict.fromkeys(own.spots(), 0.05)
    dealt: list[Card] = []
    while True:
        expected = ODDS.prices(own, unseen(shoe), dealt, margins, numpy=False)
        assert ODDS.prices(written, unseen(shoe), dealt, margins, numpy=False) == expected
        if outcome([POINTS[card[0]] for card in dealt]) is not None:
            break
        dealt.append(shoe.pop())


def brute(table: Baccarat, shoe: list[Card], dealt: list[Card]) -> dict[str, dict[str, Fraction]]:
    """Every order of the unseen cards that are missing to six."""
    missing = min(6 - len(dealt), len(shoe))
    ends: dict[str, dict[str, Fraction]] = {spot: {} for spot in table.pay_table.spots}
    for order in permutations(shoe, missing):
        laid: list[Dealt] = []
        for card in (*dealt, *order):
            position = table.next_position(laid)
            if position is not None:
                laid.append(Dealt(position, card))
        for spot, result in table.bets(laid).items():
            if spot in ends and result.result != "lose":
                how = result.pays or result.result
                one = Fraction(1, perm(len(shoe), missing))
                ends[spot][how] = ends[spot].get(how, Fraction(0)) + one
    return ends


@pytest.mark.parametrize("seed", range(10))
def test_conditions_that_mix_points_pairs_and_suits_are_exact_after_every_card(seed: int) -> None:
    dice = Random(seed)
    table = game(MIXED)
    cards = [Card(rank + suit) for rank in dice.sample(RANKS, 3) for suit in "SH"] * 3
    shoe = dice.sample(cards, 7 if seed % 2 else 8)
    dealt: list[Card] = []
    for _ in range(1 + seed % 5):
        found = house_ways(table, unseen(shoe), dealt, tuple(table.pay_table.spots))
        expected = brute(table, shoe, dealt)
        for spot, ways in found.items():
            ends = {pays: Fraction(number, ways.total) for pays, number in ways.wins.items()}
            ends |= {"push": Fraction(ways.pushes, ways.total)} if ways.pushes else {}
            assert ends == expected[spot], (spot, dealt)
        dealt.append(shoe.pop())
        if outcome([POINTS[card[0]] for card in dealt]) is not None:
            break


def test_a_spot_whose_wins_pay_differently_has_no_price() -> None:
    two: dict[str, Any] = {
        "lucky": [{"when": {"cards": 4}, "pays": "1:1"}, {"when": {"winner": "tie"}, "pays": "2:1"}]
    }
    table = game({**two, **MIXED})
    assert table.live_spots("live")[-5:] == ("a", "b", "c", "d", "e")
    assert "lucky" not in table.live_spots("live")
    found = ODDS.prices(table, unseen([*DECK_52] * 8), [], dict.fromkeys(table.spots(), 0.05))
    assert tuple(found.offered) == table.live_spots("live")


def test_odds_take_a_pay_table() -> None:
    content = {"spots": {name: {"rows": rows} for name, rows in MIXED.items() if name in "ad"}}
    by_card = told(
        odds_line({"game": "baccarat", "remaining": dict.fromkeys(DECK_52, 8), "pay_table": content})
    )
    assert by_card["probabilities"]["d"] > 0
    line = {"game": "baccarat", "remaining": dict.fromkeys(RANKS, 32)}
    only = {"spots": {"a": content["spots"]["a"]}}
    by_rank = told(odds_line({**line, "pay_table": only}))
    assert by_rank["offered"]["a"] == by_card["offered"]["a"]
    assert by_rank["offered"]["tie"] == told(odds_line(line))["offered"]["tie"]
    with pytest.raises(OddsError, match="d asks for suits: name all 52 cards"):
        odds_line({**line, "pay_table": content})
