"""The 1,755 flops of hold'em that differ in more than suits, and the hands that can be held with each."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.odds.keys import RANKS_UP
from controller.par.card_sets import RANKS, SUIT, SUITED_TYPES, Indices, Ints, pair_types
from controller.vocabulary.cards import SUITS, Card

Place = tuple[int, int]
"""A card as rank 0 (two) to 12 (ace) and suit 0 to 3."""


class Flop(NamedTuple):
    """A flop that stands for ``alike`` flops which are the same with other suits."""

    cards: tuple[Place, Place, Place]
    alike: int

    @property
    def ranks(self) -> Ints:
        """Thirteen: cards of each rank."""
        return np.bincount([rank for rank, _ in self.cards], minlength=RANKS)

    def by_suit(self, suit: int) -> tuple[int, Ints]:
        """Bits of the ranks in the suit, and thirteen: cards of each rank outside it."""
        inside = sum(1 << rank for rank, of in self.cards if of == suit)
        outside = np.array([rank for rank, of in self.cards if of != suit], dtype=np.intp)
        return inside, np.bincount(outside, minlength=RANKS)


class Holes:
    """The 1,176 hands that can be held with a flop."""

    def __init__(self, flop: Flop) -> None:
        cards = [
            (rank, suit) for rank in range(RANKS) for suit in range(SUIT) if (rank, suit) not in flop.cards
        ]
        first, second = np.triu_indices(len(cards), 1)
        ranks, suits = np.array(cards).T
        self._ranks = (ranks[first], ranks[second])
        self._suits = (suits[first], suits[second])

    def rank_pairs(self) -> Indices:
        """The hands' pairs of ranks."""
        numbers: Indices = pair_types(RANKS).number[self._ranks]
        return numbers

    def type_pairs(self, suit: int) -> Indices:
        """The hands' pairs of types with regard to the suit."""
        types = tuple(
            np.where(suits == suit, ranks, RANKS + ranks)
            for ranks, suits in zip(self._ranks, self._suits, strict=True)
        )
        numbers: Indices = pair_types(SUITED_TYPES).number[types]
        return numbers

    def of_suit(self, suit: int) -> npt.NDArray[np.bool_]:
        """Whether both cards of a hand are of the suit."""
        both: npt.NDArray[np.bool_] = (self._suits[0] == suit) & (self._suits[1] == suit)
        return both

    def cards(self, hand: int) -> list[Card]:
        """One of the hands."""
        held = zip(self._ranks, self._suits, strict=True)
        return [card_of((int(ranks[hand]), int(suits[hand]))) for ranks, suits in held]


def card_of(place: Place) -> Card:
    """The card in our writing."""
    return Card(RANKS_UP[place[0]] + SUITS[place[1]])


def flops() -> Iterator[Flop]:
    """One suit, two suits, three suits; together they stand for all 22,100 flops."""
    for low, middle, high in combinations(range(RANKS), 3):
        yield Flop(((low, 0), (middle, 0), (high, 0)), 4)
    for low, high in combinations(range(RANKS), 2):
        for other in range(RANKS):
            yield Flop(((low, 0), (high, 0), (other, 1)), 12)
    for ranks in combinations_with_replacement(range(RANKS), 3):
        alike = {3: 24, 2: 12, 1: 4}[len(set(ranks))]
        yield Flop(((ranks[0], 0), (ranks[1], 1), (ranks[2], 2)), alike)
