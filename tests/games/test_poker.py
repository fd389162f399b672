"""The poker ranking: exhaustive counts of five and seven cards, order in a category, best five of seven."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.games.poker import CATEGORIES, category_of, strength
from controller.vocabulary.cards import DECK_52, RANKS, SUITS, Card

FIVE = {
    "royal_flush": 4,
    "straight_flush": 36,
    "four_of_a_kind": 624,
    "full_house": 3_744,
    "flush": 5_108,
    "straight": 10_200,
    "three_of_a_kind": 54_912,
    "two_pair": 123_552,
    "pair": 1_098_240,
    "high_card": 1_302_540,
}
SEVEN = {
    "royal_flush": 4_324,
    "straight_flush": 37_260,
    "four_of_a_kind": 224_848,
    "full_house": 3_473_184,
    "flush": 4_047_644,
    "straight": 6_180_020,
    "three_of_a_kind": 6_461_620,
    "two_pair": 31_433_400,
    "pair": 58_627_800,
    "high_card": 23_294_460,
}


def hand(text: str) -> int:
    return strength([Card(card) for card in text.split()])


def test_all_2598960_five_card_hands_by_category_and_7462_strengths() -> None:
    counts = Counter(map(strength, combinations(DECK_52, 5)))
    assert len(counts) == 7_462
    by_category: Counter[str] = Counter()
    for one, hands in counts.items():
        by_category[category_of(one)] += hands
    assert by_category == FIVE
    assert sum(by_category.values()) == comb(52, 5)


def test_all_133784560_seven_card_hands_by_category() -> None:
    """Exact: every choice of ranks as if without flushes, then every flush by ranks in and out of suit."""
    counts: Counter[str] = Counter()
    for ranks in combinations_with_replacement(RANKS, 7):
        copies = Counter(ranks)
        if max(copies.values()) <= 4:
            counts[category_of(strength(_mixed(ranks)))] += prod(comb(4, many) for many in copies.values())
    for size in (5, 6, 7):
        for inside in combinations(RANKS, size):
            for outside in combinations_with_replacement(RANKS, 7 - size):
                many = 4 * prod(comb(3, copies) for copies in Counter(outside).values())
                if many:
                    counts[category_of(strength(_mixed([*inside, *outside])))] -= many
                    counts[category_of(strength(_flush(inside, outside)))] += many
    assert counts == SEVEN
    assert sum(SEVEN.values()) == comb(52, 7)


def _mixed(ranks: list[str] | tuple[str, ...]) -> list[Card]:
    """Cards of these ranks of which no five share a suit."""
    seen: Counter[str] = Counter()
    cards = []
    for place, rank in enumerate(sorted(ranks)):
        suits = [SUITS[(place + turn) % 4] for turn in range(4)]
        suit = next(suit for suit in suits if rank + suit not in seen)
        seen[rank + suit] += 1
        cards.append(Card(rank + suit))
    assert max(Counter(card[1] for card in cards).values()) < 5
    return cards


def _flush(inside: tuple[str, ...], outside: tuple[str, ...]) -> list[Card]:
    """Cards of these ranks in one suit, and of those in others."""
    others = [Card(rank + "HDC"[place % 3]) for place, rank in enumerate(outside)]
    return [*(Card(rank + "S") for rank in inside), *others]


LADDER = [
    ["7S 5H 4D 3C 2S", "9S 8H 7D 6C 4S", "AS QH JD TC 8S", "AS KH QD JC 9S"],
    ["2S 2H 5D 4C 3S", "2S 2H AD KC QS", "3S 3H 5D 4C 2S", "AS AH 4D 3C 2S", "AS AH KD QC JS"],
    ["3S 3H 2D 2C 4S", "3S 3H 2D 2C AS", "4S 4H 2D 2C 3S", "AS AH 2D 2C 3S", "AS AH KD KC QS"],
    ["2S 2H 2D 4C 3S", "2S 2H 2D AC KS", "3S 3H 3D 4C 2S", "AS AH AD KC QS"],
    ["AS 2H 3D 4C 5S", "2S 3H 4D 5C 6S", "TS JH QD KC 9S", "AS KH QD JC TS"],
    ["7S 5S 4S 3S 2S", "AS 6S 4S 3S 2S", "AS KS QS JS 9S"],
    ["2S 2H 2D 3C 3S", "2S 2H 2D AC AS", "3S 3H 3D 2C 2S", "AS AH AD KC KS"],
    ["2S 2H 2D 2C 3S", "2S 2H 2D 2C AS", "AS AH AD AC KS"],
    ["AS 2S 3S 4S 5S", "2S 3S 4S 5S 6S", "9S TS JS QS KS"],
    ["TS JS QS KS AS"],
]
"""Hands from the weakest to the strongest, one row a category ("Winning Hands")."""


def test_winning_hands_from_the_lowest_to_the_highest() -> None:
    strengths = [hand(text) for row in LADDER for text in row]
    assert strengths == sorted(set(strengths))
    for category, row in zip(CATEGORIES, LADDER, strict=True):
        assert {category_of(hand(text)) for text in row} == {category}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("AS KH QD JC 9S", "AH KD QC JS 9H"),
        ("AS KS QS JS 9S", "AH KH QH JH 9H"),
        ("AS KH QD JC TS", "AH KD QC JS TH"),
        ("TS JS QS KS AS", "TD JD QD KD AD"),
        ("AS AH 3D 3C 9S 7H 2D", "AD AC 3S 3H 9C 6D 2C"),
    ],
)
def test_suits_never_break_a_tie(one: str, other: str) -> None:
    assert hand(one) == hand(other)


@pytest.mark.parametrize(
    ("cards", "same_as"),
    [
        ("AS AH KD KC QS QH 2D", "AS AH KD KC QS"),  # three pairs: the third is but a kicker
        ("AS AH KD KC 2S 2H QD", "AS AH KD KC QS"),
        ("AS AH AD KC KS KH 2D", "AS AH AD KC KS"),  # two threes
        ("AS AH AD KC KS QH QD", "AS AH AD KC KS"),
        ("2S 2H 2D 2C 3S 3H 3D", "2S 2H 2D 2C 3S"),
        ("2S 3H 4D 5C 6S 7H AD", "3H 4D 5C 6S 7H"),
        ("AS 2H 3D 4C 5S KH QD", "AS 2H 3D 4C 5S"),
        ("QS KH AD 2C 3S 4H 9D", "QS KH AD 9D 4H"),  # no straight goes round the corner
        ("2S 3S 4S 5S 6S 7H 8H", "2S 3S 4S 5S 6S"),
        ("AS KS QS JS 9S 8S 7S", "AS KS QS JS 9S"),
        ("9S 9H 9D AC KS QH JD", "9S 9H 9D AC KS"),
        ("AS 2S 3S 4S 5S 6H 7H", "AS 2S 3S 4S 5S"),  # the straight flush, not the higher straight
    ],
)
def test_best_five_of_seven(cards: str, same_as: str) -> None:
    assert hand(cards) == hand(same_as)


@given(st.lists(st.sampled_from(DECK_52), min_size=7, max_size=7, unique=True))
def test_seven_cards_are_as_strong_as_their_strongest_five(cards: list[Card]) -> None:
    assert strength(cards) == max(strength(five) for five in combinations(cards, 5))


@given(st.lists(st.sampled_from(DECK_52), min_size=5, max_size=7, unique=True), st.permutations(list(SUITS)))
def test_neither_order_nor_names_of_suits_matter(cards: list[Card], suits: list[str]) -> None:
    swap = dict(zip(SUITS, suits, strict=True))
    assert strength([Card(card[0] + swap[card[1]]) for card in reversed(cards)]) == strength(cards)
