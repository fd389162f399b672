"""Two Cards High by rule: qualifying, ranking, the main wager in every case, the side wager."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.registry import build_game
from controller.games.two_cards_high import Standing, best_standing, main_result, side_row
from controller.vocabulary.cards import DECK_40, Card
from controller.vocabulary.configuration import GameSettings
from tests.games.deals import bets, deal

ONE_SEAT = build_game(GameSettings("two-cards-high", seats=1, deal="packets"))
NOTHING = "AS AH 2S 2H 3S"
"""Does not qualify: no three of 1, 1, 2, 2, 3 sum to a multiple of ten."""


def pair(rank: int) -> Standing:
    return Standing(True, rank)


def total(points: int) -> Standing:
    return Standing(False, points)


@pytest.mark.parametrize(
    ("points", "standing"),
    [
        ((5, 3, 2, 7, 8), total(5)),  # 4c: 5-3-2 leaves 15, 5-7-8 leaves 5
        ((10, 10, 10, 10, 9), total(9)),  # 10-10-10 leaves 10 and 9
        ((1, 1, 8, 10, 10), pair(10)),  # 1-1-8 leaves the tens
        ((10, 10, 10, 10, 5), total(5)),
        ((9, 1, 10, 1, 9), total(0)),  # 1-9-10 leaves 1 and 9; nothing leaves the nines or the aces
        ((1, 1, 2, 2, 3), None),
        ((1, 9, 10, 4, 6), total(0)),
        ((10, 10, 10, 1, 1), pair(1)),
    ],
)
def test_4_and_5_the_best_legal_set(points: tuple[int, ...], standing: Standing | None) -> None:
    assert best_standing(points) == standing


def test_5_any_pair_beats_any_total_tens_highest_aces_lowest() -> None:
    ladder = [*(total(points) for points in range(10)), *(pair(rank) for rank in range(1, 11))]
    assert ladder == sorted(ladder)
    assert max(ladder) == pair(10)


def test_readings_several_sets_the_best_counts() -> None:
    # 10-10-10 leaves 2 and 8, a total of 0; 2-8-10 leaves a pair of tens.
    assert best_standing((2, 8, 10, 10, 10)) == pair(10)


@pytest.mark.parametrize(
    ("player", "dealer", "result"),
    [
        (None, None, "lose_player_not_qualified"),
        (None, total(0), "lose_player_not_qualified"),
        (total(0), None, "win_dealer_not_qualified"),
        (pair(3), None, "win_dealer_not_qualified"),
        (pair(3), pair(2), "win_pair"),
        (pair(1), total(9), "win_pair"),
        (pair(3), pair(3), "win_tie"),
        (total(4), total(4), "win_tie"),
        (total(5), total(4), "win"),
        (total(4), total(5), "lose"),
        (total(9), pair(1), "lose"),
        (pair(2), pair(3), "lose"),
    ],
)
def test_6_the_main_wager(player: Standing | None, dealer: Standing | None, result: str) -> None:
    assert main_result(player, dealer) == result


PAIR_OF_TENS = "AS AH 8S TS TH"
TOTAL_FIVE, TOTAL_ZERO = "5S 2H 3S 7C 8C", "4S 7D 5H 8H 6D"
TOTAL_FIVE_TOO = "5D 2D 3D 7H 8D"


@pytest.mark.parametrize(
    ("rule", "cards", "ends"),
    [
        ("6a: a pair wins", f"{PAIR_OF_TENS} {TOTAL_FIVE}", "3:2"),
        ("6b: the higher total", f"{TOTAL_FIVE} {TOTAL_ZERO}", "1:1"),
        ("6c: a tie wins", f"{TOTAL_FIVE} {TOTAL_FIVE_TOO}", "1:1"),
        ("6d: dealer out", f"{TOTAL_FIVE} {NOTHING}".replace("3S 7C", "3D 7C"), "1:1"),
        ("4: the player is out", f"{NOTHING} 4S 7D 5H 8H 6D", "lose"),
        ("6: the lower total", f"{TOTAL_ZERO} {TOTAL_FIVE}", "lose"),
    ],
)
def test_6_what_the_main_wager_pays(rule: str, cards: str, ends: str) -> None:
    assert bets(ONE_SEAT, cards)["seat1.main"] == ends, rule


def test_setting_pair_tie() -> None:
    equal_pairs = "AS AH 8S TS TH AD AC 8H TD TC"
    assert bets(ONE_SEAT, equal_pairs)["seat1.main"] == "1:1"
    house = build_game(GameSettings("two-cards-high", seats=1, deal="packets", pair_tie="3:2"))
    assert bets(house, equal_pairs)["seat1.main"] == "3:2"
    assert bets(house, f"{TOTAL_FIVE} {TOTAL_FIVE_TOO}")["seat1.main"] == "1:1"


def test_setting_pair_against_unqualified_dealer() -> None:
    cards = "AD AC 8S TS TH AS AH 2S 2H 3S"
    assert bets(ONE_SEAT, cards)["seat1.main"] == "1:1"
    settings = GameSettings("two-cards-high", seats=1, deal="packets", pair_against_unqualified_dealer="3:2")
    assert bets(build_game(settings), cards)["seat1.main"] == "3:2"
    assert bets(build_game(settings), f"5S 2D 3D 7C 8C {NOTHING}")["seat1.main"] == "1:1"


@pytest.mark.parametrize(
    ("hand", "row", "pays"),
    [
        ("6S 7S 8S 9S TS", "straight_flush", "100:1"),
        ("AS 2S 3S 4S 5S", "straight_flush", "100:1"),
        ("4S 4H 4D 4C 5S", "four_of_a_kind", "50:1"),
        ("4S 4H 4D 5C 5S", "full_house", "20:1"),
        ("AS 3S 5S 7S 9S", "flush", "12:1"),
        ("AS 2S 3S 4S 5H", "straight", "5:1"),
        ("6S 7S 8S 9S TH", "straight", "5:1"),
        ("7S 8S 9S TH AS", None, "lose"),
        ("4S 4H 4D 5C 6S", "three_of_a_kind", "3:1"),
        ("AS AH 2S 2H 9D", "two_pair", "2:1"),
        ("7S 7H 2S 4H 9D", "pair_7_or_better", "1:1"),
        ("TS TH 2S 4H 9D", "pair_7_or_better", "1:1"),
        ("6S 6H 2S 4H 9D", None, "lose"),
        ("AS AH 2S 4H 9D", None, "lose"),  # aces are low
        ("AS 3H 5S 7H 9D", None, "lose"),
    ],
)
def test_side_wager(hand: str, row: str | None, pays: str) -> None:
    assert side_row([Card(card) for card in hand.split()]) == row
    rest = [card for card in DECK_40 if card not in hand.split()][:5]
    assert bets(ONE_SEAT, f"{hand} {' '.join(rest)}")["seat1.side"] == pays


def test_the_side_wager_stands_whatever_becomes_of_the_main_wager() -> None:
    ends = bets(ONE_SEAT, f"AS AH 2S 2H 3S {TOTAL_ZERO}")
    assert (ends["seat1.main"], ends["seat1.side"]) == ("lose", "2:1")


def test_3_rotation_one_card_at_a_time_the_dealer_last() -> None:
    game = build_game(GameSettings("two-cards-high", seats=2))
    dealt = deal(game, "AS 2S 3S 4S 5S 6S 7S 8S 9S TS AH 2H 3H 4H 5H")
    assert [one.position for one in dealt] == ["seat1", "seat2", "dealer"] * 5
    assert game.hands(dealt)["dealer"] == ["3S", "6S", "9S", "2H", "5H"]


def test_3_packets_five_cards_at_a_time() -> None:
    game = build_game(GameSettings("two-cards-high", seats=2, deal="packets"))
    dealt = deal(game, "AS 2S 3S 4S 5S 6S 7S 8S 9S TS AH 2H 3H 4H 5H")
    assert [one.position for one in dealt] == ["seat1"] * 5 + ["seat2"] * 5 + ["dealer"] * 5


@pytest.mark.parametrize("seats", range(1, 8))
def test_1_to_7_seats_use_at_most_the_deck_of_40(seats: int) -> None:
    game = build_game(GameSettings("two-cards-high", seats=seats))
    assert game.cards_needed == 5 * (seats + 1) <= len(game.deck) == 40
    assert len(game.spots()) == 2 * seats
    assert game.face_down("dealer")
    assert game.face_down(f"seat{seats}")
    assert game.has_reveal


@given(st.lists(st.sampled_from(DECK_40), min_size=5, max_size=5, unique=True), st.randoms())
def test_any_arrangement_of_five_cards_gives_the_same_best_set(hand: list[Card], chance: object) -> None:
    points = [(" A23456789T".index(card[0])) for card in hand]
    assert len({best_standing(order) for order in permutations(points)}) == 1
    assert len({side_row(list(order)) for order in permutations(hand)}) == 1


@given(st.lists(st.integers(1, 10), min_size=5, max_size=5))
def test_all_legal_sets_have_the_same_total_so_only_pairs_make_a_choice(points: list[int]) -> None:
    standing = best_standing(points)
    if standing is not None and not standing.is_pair:
        assert standing.rank == sum(points) % 10
    if standing is not None and standing.is_pair:
        assert 2 * standing.rank % 10 == sum(points) % 10
