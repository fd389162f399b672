"""Baccarat by paragraph: points, the tableau cell by cell, naturals, the eight spots."""

from __future__ import annotations

from itertools import product
from operator import itemgetter
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.baccarat import POINTS, Baccarat, BaccaratOutcome, banker_draws, player_draws
from controller.games.registry import build_game
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import bets, deal, dealt_of

GAME = build_game(GameSettings("baccarat"))
assert isinstance(GAME, Baccarat)

# The punto banco tableau: Banker's total down, the Player's third card across ("-": none).
TABLEAU = """
   - 0 1 2 3 4 5 6 7 8 9
0  D D D D D D D D D D D
1  D D D D D D D D D D D
2  D D D D D D D D D D D
3  D D D D D D D D D S D
4  D S S D D D D D D S S
5  D S S S S D D D D S S
6  S S S S S S S D D S S
7  S S S S S S S S S S S
"""


def test_2_6_every_cell_of_the_tableau() -> None:
    header, *rows = TABLEAU.strip().splitlines()
    for row in rows:
        banker, *cells = row.split()
        for column, cell in zip(header.split(), cells, strict=True):
            third = None if column == "-" else int(column)
            player = 6 if third is None else 0
            assert banker_draws(player, int(banker), third) == (cell == "D"), (banker, column)


def test_2_6_the_player_draws_on_five_or_less() -> None:
    for player, banker in product(range(8), repeat=2):
        assert player_draws(player, banker) == (player <= 5)


def test_2_7_1_after_a_natural_nobody_draws() -> None:
    for natural, other in product((8, 9), range(10)):
        assert not player_draws(natural, other)
        assert not player_draws(other, natural)
        assert not banker_draws(natural, other, None)
        assert not banker_draws(other, natural, None)
    assert not banker_draws(0, 8, 0)


@pytest.mark.parametrize("player", [6, 7])
def test_2_7_2_the_banker_draws_on_five_or_less_where_the_player_stands(player: int) -> None:
    assert [banker for banker in range(8) if banker_draws(player, banker, None)] == [0, 1, 2, 3, 4, 5]


def test_2_4_points() -> None:
    assert dict(zip("A23456789TJQK", (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0), strict=True)) == POINTS


def test_2_2_cards_in_turn_the_player_first() -> None:
    positions = [one.position for one in deal(GAME, "2S 3S TS KS 6H 6D")]
    assert positions == ["player", "banker", "player", "banker", "player", "banker"]
    assert [one.position for one in deal(GAME, "6S 5S KS KS 4H")] == ["player", "banker"] * 2 + ["banker"]
    assert [one.position for one in deal(GAME, "5S 7S KS KS 4H")] == ["player", "banker"] * 2 + ["player"]


def test_2_5_2_a_total_is_the_right_digit() -> None:
    outcome = GAME.outcome(deal(GAME, "7S 9S 8S 4S 8H"))
    assert outcome == BaccaratOutcome("tie", player_total=3, banker_total=3, natural=False)


def test_2_3_1_on_a_tie_player_and_banker_push_and_side_bets_are_settled() -> None:
    ends = bets(GAME, "4S 4H 4D 4C")
    assert ends == {
        "player": "push",
        "banker": "push",
        "tie": "8:1",
        "player_pair": "11:1",
        "banker_pair": "11:1",
        "any_pair": "5:1",
        "small": "3:2",
        "big": "lose",
    }


@pytest.mark.parametrize(
    ("cards", "player", "banker", "any_pair"),
    [
        ("KS 9S KH JS", "11:1", "lose", "5:1"),
        ("9S KS JS KH", "lose", "11:1", "5:1"),
        ("KS 9S QH JS", "lose", "lose", "lose"),
        ("2S 3S 2H 3H 6S 9S", "11:1", "11:1", "5:1"),
        ("2S KS 3H QH 2H KD", "lose", "lose", "lose"),
    ],
)
def test_2_5_3_pairs_by_rank_and_of_the_first_two_cards_only(
    cards: str, player: str, banker: str, any_pair: str
) -> None:
    ends = bets(GAME, cards)
    assert (ends["player_pair"], ends["banker_pair"], ends["any_pair"]) == (player, banker, any_pair)


@pytest.mark.parametrize(
    ("cards", "small", "big"),
    [
        ("9S 8S KS QS", "3:2", "lose"),
        ("6S 5S KS KS 4H", "lose", "0.54:1"),
        ("2S 3S TS KS AH 6D", "lose", "0.54:1"),
    ],
)
def test_2_5_3_small_is_four_cards_big_five_or_six(cards: str, small: str, big: str) -> None:
    ends = bets(GAME, cards)
    assert (ends["small"], ends["big"]) == (small, big)


@pytest.mark.parametrize(
    ("cards", "ends"),
    [("9S 8S KS QS", ("1:1", "lose", "lose")), ("8S 9S KS QS", ("lose", "0.95:1", "lose"))],
)
def test_the_winning_side_is_paid_and_the_other_loses(cards: str, ends: tuple[str, ...]) -> None:
    assert itemgetter("player", "banker", "tie")(bets(GAME, cards)) == ends


def test_natural_is_of_the_first_two_cards() -> None:
    natural: list[Any] = [GAME.outcome(deal(GAME, cards)) for cards in ("9S 2S KS QS", "2S 3S TS 4S 6H")]
    assert [outcome.natural for outcome in natural] == [True, False]


def test_squeeze_keeps_the_cards_down_until_the_reveal() -> None:
    squeezed = build_game(GameSettings("baccarat", squeeze=True))
    assert squeezed.has_reveal
    assert all(squeezed.face_down(place) for place in squeezed.places())
    assert not GAME.has_reveal
    assert not any(GAME.face_down(place) for place in GAME.places())
    assert GAME.face_down("burn")


def test_further_betting_rounds_open_after_two_and_four_cards() -> None:
    game = build_game(GameSettings("baccarat", odds="live", betting_rounds=("deal", "first", "four")))
    assert game.betting_breaks() == {2: "first", 4: "four"}
    assert GAME.betting_breaks() == {}


def test_squeeze_with_bets_on_four_hidden_cards_is_read_and_refused() -> None:
    """No table may be set so; a journal of an earlier head is, and its table opens no such betting round."""
    settings = GameSettings("baccarat", odds="live", betting_rounds=("deal", "first", "four"), squeeze=True)
    squeezed = build_game(settings)
    assert squeezed.betting_breaks() == {2: "first"}
    assert str(squeezed.refused(settings)).startswith("game.betting_rounds: ")
    assert squeezed.refused(msgspec.structs.replace(settings, squeeze=False)) is None


@given(st.lists(st.sampled_from(DECK_52), min_size=6, max_size=6))
def test_every_six_cards_hold_a_complete_round_with_one_winner(cards: list[Card]) -> None:
    ends = GAME.bets(dealt_of(GAME, cards))
    assert sum(ends[spot].result == "win" for spot in ("player", "banker", "tie")) == 1
    assert sum(ends[spot].result == "win" for spot in ("small", "big")) == 1
