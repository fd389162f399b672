"""Poker ranking of five to seven cards: the best five count, suits never break a tie.

A strength is one integer, greater is better: category, then the ranks that make it, then the kickers, each
as a set of bits (two is bit 0, ace bit 12). Sets of the same size compare as their highest cards do, and two
hands of equal strength tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final, Literal, get_args

from controller.vocabulary.cards import Card

Category = Literal[
    "high_card",
    "pair",
    "two_pair",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
]
"""From the lowest to the highest ("Winning Hands")."""

CATEGORIES: Final[tuple[Category, ...]] = get_args(Category)

(
    HIGH_CARD,
    PAIR,
    TWO_PAIR,
    THREE_OF_A_KIND,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR_OF_A_KIND,
    STRAIGHT_FLUSH,
    ROYAL_FLUSH,
) = range(10)

RANKS_UP: Final = "23456789TJQKA"
BIT: Final = {rank: 1 << place for place, rank in enumerate(RANKS_UP)}
"""The bit of a rank."""

_WHEEL = BIT["A"] | BIT["2"] | BIT["3"] | BIT["4"] | BIT["5"]
CATEGORY_SHIFT = 26
_MADE_SHIFT = 13
_MADE_MASK = (1 << 13) - 1


def pack(category: int, made: int = 0, kickers: int = 0) -> int:
    """The strength of a category with the bits of the ranks that make it and of its kickers."""
    return category << CATEGORY_SHIFT | made << _MADE_SHIFT | kickers


def category_of(strength: int) -> Category:
    """The category of a strength, one of :data:`CATEGORIES`."""
    return CATEGORIES[strength >> CATEGORY_SHIFT]


def made_of(strength: int) -> int:
    """The bits of the ranks that make the category: of the pair, the three, the top of a straight..."""
    return strength >> _MADE_SHIFT & _MADE_MASK


def leading_rank(strength: int) -> str:
    """The rank that a hand is called by: of its four or three, of its pair or the higher of two, of the top
    card of its straight (five in 5-4-3-2-A), else of its highest card."""
    bits = made_of(strength) or strength & _MADE_MASK
    return RANKS_UP[bits.bit_length() - 1]


def highest(bits: int, count: int) -> int:
    """The ``count`` highest bits of a set."""
    for _ in range(bits.bit_count() - count):
        bits &= bits - 1
    return bits


def straight_top(bits: int) -> int:
    """The bit of the top card of the best straight in a set of ranks, or 0; the top of A-2-3-4-5 is five."""
    runs = bits & bits << 1 & bits << 2 & bits << 3 & bits << 4
    if runs:
        return highest(runs, 1)
    return BIT["5"] if bits & _WHEEL == _WHEEL else 0


def strength(cards: Sequence[Card]) -> int:
    """The strength of the best five of five to seven different cards of one deck."""
    ones = twos = threes = fours = 0
    suits = {"S": 0, "H": 0, "D": 0, "C": 0}
    for card in cards:
        bit = BIT[card[0]]
        fours |= threes & bit
        threes |= twos & bit
        twos |= ones & bit
        ones |= bit
        suits[card[1]] |= bit
    for bits in suits.values():
        if bits.bit_count() >= 5:
            return _flush(bits)
    return rank_strength(ones, twos, threes, fours)


def best_five(cards: Sequence[Card]) -> tuple[Card, ...]:
    """The five of five to seven different cards that count, in their order; of equal ones the first."""
    return max(combinations(cards, 5), key=strength)


def rank_strength(ones: int, twos: int, threes: int, fours: int) -> int:
    """The strength without a flush, from the ranks held at least once, twice, three and four times."""
    if fours:
        return pack(FOUR_OF_A_KIND, fours, highest(ones & ~fours, 1))
    if threes:
        three = highest(threes, 1)
        if twos != three:
            return pack(FULL_HOUSE, three, highest(twos & ~three, 1))
    top = straight_top(ones)
    if top:
        return pack(STRAIGHT, top)
    if threes:
        return pack(THREE_OF_A_KIND, threes, highest(ones & ~threes, 2))
    if twos:
        pairs = highest(twos, 2)
        if pairs.bit_count() == 2:
            return pack(TWO_PAIR, pairs, highest(ones & ~pairs, 1))
        return pack(PAIR, pairs, highest(ones & ~pairs, 3))
    return pack(HIGH_CARD, highest(ones, 5))


def _flush(bits: int) -> int:
    """The strength of five or more of one suit; seven cards with a flush hold no full house, no four."""
    top = straight_top(bits)
    if top == BIT["A"]:
        return pack(ROYAL_FLUSH, top)
    return pack(STRAIGHT_FLUSH, top) if top else pack(FLUSH, highest(bits, 5))
