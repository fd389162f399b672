"""2 Card Action by paragraph; the pay tables as the document prints them, judged over all 52 x 52 deals."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.registry import build_game
from controller.games.two_card_action import TwoCardAction, TwoCardActionOutcome
from controller.vocabulary.cards import DECK_52, RANKS, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import bets, deal
from tests.vectors.two_card_action import score_two_card_action

GAMES = {layout: build_game(GameSettings("2-card-action", layout=layout)) for layout in ("A", "B", "C")}


@pytest.mark.parametrize("layout", ["A", "B", "C"])
def test_4_1_all_2704_ordered_deals_pay_as_printed(layout: str) -> None:
    """As the document prints it, by the second reading of ``tests/vectors``."""
    for first, second in product(DECK_52, repeat=2):
        line = {"game": "2-card-action", "layout": layout, "cards": [first, second]}
        expected = {spot: bet["pays"] or "lose" for spot, bet in score_two_card_action(line)["bets"].items()}
        assert bets(GAMES[layout], f"{first} {second}") == expected


def test_4_1_ways_of_every_winning_spot_over_all_deals() -> None:
    """Golden numbers, so that the test above cannot be wrong in the same way as the rules."""
    ways: Counter[str] = Counter()
    for first, second in product(DECK_52, repeat=2):
        ends = bets(GAMES["C"], f"{first} {second}")
        ways.update(spot.split("_")[0] for spot, end in ends.items() if end != "lose")
    assert ways == {
        "any": 208,
        "field": 1280,
        "sum": 2704 - 16,
        "bonus": 4 * 4 * 2 * (1 + 3 + 4 + 3 + 4) + 2 * 16,
        "ace": 13 * 16 + 12 * 32,
        "single": 2 * 2704 - 208,
        "pair": 208,
        "card": 2 * 2704 - 52,
    }


@pytest.mark.parametrize(("layout", "spots"), [("A", 36), ("B", 36), ("C", 100)])
def test_2_1_1_spots_of_the_layout(layout: str, spots: int) -> None:
    assert len(GAMES[layout].spots()) == spots
    assert list(bets(GAMES[layout], "AS KD")) == list(GAMES[layout].spots())


def test_4_1_2_table_2_has_no_sum_of_two() -> None:
    assert "sum_2" in GAMES["A"].spots()
    assert "sum_2" not in GAMES["C"].spots()
    assert bets(GAMES["C"], "AS AH")["pair_A"] == "160:1"


def test_3_4_3_a_picture_counts_ten_for_sums_only() -> None:
    ends = bets(GAMES["C"], "KS QS")
    assert ends["sum_20"] == "8:1"
    assert ends["any_pair"] == ends["pair_K"] == "lose"
    assert (ends["single_K"], ends["single_Q"], ends["single_T"]) == ("5:1", "5:1", "lose")


def test_1_a_king_and_a_queen_are_no_pair() -> None:
    outcome = GAMES["A"].outcome(deal(GAMES["A"], "KS QH"))
    assert outcome == TwoCardActionOutcome(20, pair=False, suited=False)


def test_readings_specific_card_with_the_same_rank_in_another_suit_is_one_card() -> None:
    ends = bets(GAMES["C"], "AS AH")
    assert (ends["card_AS"], ends["card_AH"], ends["card_AD"]) == ("23:1", "23:1", "lose")
    assert bets(GAMES["C"], "AS AS")["card_AS"] == "100:1"


def test_3_5_two_cards_face_up_and_no_more() -> None:
    game = GAMES["A"]
    assert game.cards_needed == 2
    assert not any(game.face_down(place) for place in game.places())
    assert not game.has_reveal
    assert game.decisions_after() is None
    assert game.paragraphs


@given(st.sampled_from(DECK_52), st.sampled_from(DECK_52), st.sampled_from("ABC"))
def test_the_order_of_the_two_cards_never_matters(first: Card, second: Card, layout: str) -> None:
    assert bets(GAMES[layout], f"{first} {second}") == bets(GAMES[layout], f"{second} {first}")


@given(st.sampled_from(DECK_52), st.sampled_from(DECK_52))
def test_exactly_one_sum_wins(first: Card, second: Card) -> None:
    ends = bets(GAMES["A"], f"{first} {second}")
    assert sum(ends[f"sum_{total}"] != "lose" for total in range(2, 21)) == 1
    assert sum(ends[f"single_{rank}"] != "lose" for rank in RANKS) == (1 if first[0] == second[0] else 2)


def test_the_game_is_what_the_registry_builds() -> None:
    assert isinstance(GAMES["A"], TwoCardAction)
    assert GAMES["A"].decks == 8
