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

GAMES = {layout: build_game(GameSettings("2-card-action", layout=layout)) for layout in ("A", "B", "C")}

# The rows as printed in 4.1.1 and 4.1.2; the tests read the combinations out of the words.
SUMS = dict(
    zip(
        range(2, 21),
        (160, 75, 50, 38, 30, 25, 22, 18, 16, 9, 9, 10, 11, 12, 13, 14, 16, 18, 8),
        strict=True,
    )
)
BONUS = """
A,8 (Suited) : 30
A,8 (Unsuited) : 15
2,7 or 3,6 or 4,5 : 6
K,9 or Q,9 or J,9 or 10,9 : 4
A,7 or 2,6 or 3,5 or 4,4 : 2
K,8 or Q,8 or J,8 or 10,8 or 9,9 : 1
"""
ACE_PLUS = """
A,A (Suited) : 30
A,A (Unsuited) : 15
A,K or A,Q or A,J or A,10 (Suited) : 10
K,K or Q,Q or J,J or 10,10 : 6
A,K or A,Q or A,J or A,10 (Unsuited) : 4
9,9 or 8,8 or 7,7 or 6,6 or 5,5 or 4,4 or 3,3 or 2,2 : 3
A,9 or A,8 or A,7 or A,6 or A,5 or A,4 or A,3 or A,2 : 1
"""


def printed(table: str, first: Card, second: Card) -> int | None:
    """What the printed rows pay for two cards; at most one row may apply."""
    suited = first[1] == second[1]
    found = []
    for line in table.strip().splitlines():
        words, pays = line.split(" : ")
        if ("(Suited)" in words and not suited) or ("(Unsuited)" in words and suited):
            continue
        for pair in words.split(" (")[0].split(" or "):
            if sorted(pair.replace("10", "T").split(",")) == sorted((first[0], second[0])):
                found.append(int(pays))
    assert len(found) <= 1
    return found[0] if found else None


def points(card: Card) -> int:
    return {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0])


def expected(layout: str, first: Card, second: Card) -> dict[str, str]:
    """Every winning spot, read from the document in the slowest way."""
    won: dict[str, int | None] = {}
    total = points(first) + points(second)
    same_rank, same_suit = first[0] == second[0], first[1] == second[1]
    if same_rank:
        won["any_pair"] = 11
    if total in (3, 4, 5, 6, 7, 13, 14, 15, 16, 17):
        won["field"] = 1
    if not (layout == "C" and total == 2):
        won[f"sum_{total}"] = SUMS[total]
    won["bonus"] = printed(BONUS, first, second)
    won["ace_plus"] = printed(ACE_PLUS, first, second)
    for rank in {first[0], second[0]}:
        won[f"single_{rank}"] = (30 if same_suit else 10) if same_rank else 5
    if layout == "C":
        if same_rank:
            won[f"pair_{first[0]}"] = 160
        for card in {first, second}:
            won[f"card_{card}"] = 100 if first == second else 23
    return {spot: f"{pays}:1" for spot, pays in won.items() if pays is not None}


@pytest.mark.parametrize("layout", ["A", "B", "C"])
def test_4_1_all_2704_ordered_deals_pay_as_printed(layout: str) -> None:
    game = GAMES[layout]
    for first, second in product(DECK_52, repeat=2):
        ends = bets(game, f"{first} {second}")
        assert {spot: end for spot, end in ends.items() if end != "lose"} == expected(layout, first, second)


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
