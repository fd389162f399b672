"""Seven cards: the counts of all 133,784,560 hands, and the order of a ranking written the long way."""

from __future__ import annotations

import random
from bisect import bisect_right
from itertools import combinations, pairwise
from math import comb

import numpy as np
import pytest

from controller.odds.keys import KEYS, RANK_BITS
from controller.vocabulary.cards import DECK_52, Card
from tests.games.test_poker import SEVEN
from tests.odds.seven_cards import CATEGORIES, strength7, strength7_numbers
from tests.odds.showdown_arrays import strengths_of
from tests.vectors.casino_holdem import best

ORDER = [name for name, _ in CATEGORIES]


def category(strength: int) -> str:
    return CATEGORIES[bisect_right([least for _, least in CATEGORIES], strength) - 1][0]


def hands(number: int) -> list[list[Card]]:
    """Random hands, half of them from a stub where flushes, straights and full houses are frequent."""
    dice = random.Random(52)
    stub = [card for card in DECK_52 if card[1] in "SH" and card[0] in "A23456789"]
    return [dice.sample(DECK_52 if place % 2 else stub, 7) for place in range(number)]


def test_hands_stand_in_the_order_of_the_best_five_of_seven() -> None:
    ranked = sorted((best([*hand]), strength7(*hand)) for hand in hands(1500))
    for (rank, strength), (next_rank, next_strength) in pairwise(ranked):
        assert (rank < next_rank) == (strength < next_strength)
        assert (rank == next_rank) == (strength == next_strength)


def test_the_category_of_a_strength() -> None:
    for hand in hands(600):
        assert category(strength7(*hand)) == ORDER[best([*hand])[0]]


def test_neither_the_order_of_the_cards_nor_their_form_matters() -> None:
    dice = random.Random(1)
    for hand in hands(200):
        strength = strength7(*hand)
        assert strength7_numbers(*(DECK_52.index(card) for card in hand)) == strength
        dice.shuffle(hand)
        assert strength7(*hand) == strength


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AS KS QS JS TS 9S 8S", "royal_flush"),
        ("AS 2S 3S 4S 5S KD KH", "straight_flush"),
        ("AS 2D 3S 4S 5H KD KH", "straight"),
        ("KS AD 2S 3S 4H 9D 9H", "pair"),
        ("2S 2D 2H 3S 3D 3H KC", "full_house"),
        ("2S 2D 3H 3S 4D 4H KC", "two_pair"),
    ],
)
def test_hands_that_are_easily_misread(text: str, name: str) -> None:
    assert category(strength7(*map(Card, text.split()))) == name


def test_every_hand_of_seven_is_counted_in_its_category() -> None:
    """133,784,560 hands, 4,824 strengths among them; the frequencies are well known."""
    keys = np.array([KEYS[card] for card in DECK_52])
    bits = np.array([RANK_BITS[card] for card in DECK_52])
    grid = np.ogrid[:50, :50, :50, :50]
    fours = np.nonzero((grid[0] > grid[1]) & (grid[1] > grid[2]) & (grid[2] > grid[3]))
    four_keys = keys[fours[0]] + keys[fours[1]] + keys[fours[2]] + keys[fours[3]]
    four_bits = bits[fours[0]] + bits[fours[1]] + bits[fours[2]] + bits[fours[3]]
    found = np.zeros(7463, dtype=np.int64)
    for low, middle, high in combinations(range(52), 3):
        below = comb(low, 4)  # fours stand by their highest card
        if below:
            three = [low, middle, high]
            made = strengths_of(four_keys[:below] + keys[three].sum(), four_bits[:below] + bits[three].sum())
            found += np.bincount(made, minlength=7463)
    starts = [least for _, least in CATEGORIES]
    counts = np.add.reduceat(found, starts)
    assert dict(zip(ORDER, counts.tolist(), strict=True)) == SEVEN
    assert np.count_nonzero(found) == 4_824
