"""Cards, pairs of cards and sets of cards (three of the flop, five of the board) by what matters to one suit.

A flush can come in at most one suit, so a card's suit matters only where it is that suit. Type ``r`` is the
card of rank ``r`` (0 is the two, 12 the ace) in the suit, type ``13 + r`` one of that rank in another suit.
Where no suit matters the thirteen ranks are the types, with four cards each.

Without suits a set is a choice of ranks (``RankSets``). For one suit it is the set of ranks in that suit and
the choice of ranks outside it (``SuitedSets``): 455 and 6,175 of the one, 2,483 and 36,608 of the other kind
stand for the 22,100 flops and 2,598,960 boards.
"""

from __future__ import annotations

from functools import cache, cached_property
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]

RANKS = 13
SUITED_TYPES = 26
SUIT = 4
"""Cards of a rank."""

_POWERS = 5 ** np.arange(RANKS, dtype=np.int64)


class PairTypes(NamedTuple):
    """All unordered pairs of types, each type with itself included."""

    low: Indices
    high: Indices
    number: Indices
    """Square: number[a, b] is the place of the pair, whichever way round."""


@cache
def pair_types(types: int) -> PairTypes:
    """The pairs of so many types: 91 of thirteen ranks, 351 of 26."""
    low, high = np.triu_indices(types)
    number = np.empty((types, types), dtype=np.intp)
    number[low, high] = number[high, low] = np.arange(len(low))
    return PairTypes(low, high, number)


def pair_ways(left: Ints) -> Ints:
    """Rows of how many cards of each type are left -> rows of the ways to draw each pair of types."""
    pairs = pair_types(left.shape[-1])
    ways = left.take(pairs.low, axis=-1)
    ways *= left.take(pairs.high, axis=-1)
    ways[..., pairs.low == pairs.high] = left * (left - 1) // 2
    return ways


def rank_pair_of(pairs: PairTypes) -> Indices:
    """For each pair of suited types the pair of ranks."""
    ranks: Indices = pair_types(RANKS).number[pairs.low % RANKS, pairs.high % RANKS]
    return ranks


class RankSets:
    """All choices of ``size`` ranks with at most four of each."""

    def __init__(self, size: int) -> None:
        chosen = combinations_with_replacement(range(RANKS), size)
        counts = np.array([np.bincount(one, minlength=RANKS) for one in chosen], dtype=np.int64)
        self.counts: Ints = counts[(counts <= SUIT).all(axis=1)]
        """Rows of thirteen: cards of each rank."""
        self._keys = self.counts @ _POWERS
        self._order = np.argsort(self._keys)

    def __len__(self) -> int:
        return len(self.counts)

    @cached_property
    def cards(self) -> Indices:
        """Rows of the ranks of the cards."""
        return _listed(self.counts)

    @property
    def times(self) -> Ints:
        """How many sets of cards are like each."""
        ways: Ints = np.array([1, 4, 6, 4, 1])[self.counts].prod(axis=1)
        return ways

    @property
    def left(self) -> Ints:
        """Rows of how many cards of each rank are not in the set."""
        return SUIT - self.counts

    def number(self, counts: Ints) -> Indices:
        """The place of sets given as rows of counts; they must be among these."""
        found: Indices = self._order[np.searchsorted(self._keys, counts @ _POWERS, sorter=self._order)]
        return found


class SuitedSets:
    """All sets of ``size`` cards with at least ``least`` of the suit."""

    def __init__(self, size: int, least: int) -> None:
        self._size = size
        self._first = np.zeros(size + 1, dtype=np.intp)
        masks = np.arange(1 << RANKS)
        bits = np.bitwise_count(masks).astype(np.intp)
        self._place = np.zeros(1 << RANKS, dtype=np.intp)
        suited: list[npt.NDArray[np.int64]] = []
        others: list[Ints] = []
        for count in range(least, size + 1):
            of_count = masks[bits == count]
            self._place[of_count] = np.arange(len(of_count))
            self._first[count] = sum(map(len, suited))
            outside = _outside(size - count)
            suited.append(np.repeat(of_count, len(outside)))
            others.append(np.tile(outside, (len(of_count), 1)))
        self.masks: Ints = np.concatenate(suited)
        """Bits of the ranks in the suit."""
        self.others: Ints = np.concatenate(others)
        """Rows of thirteen: cards of each rank outside the suit."""

    def __len__(self) -> int:
        return len(self.masks)

    @cached_property
    def counts(self) -> Ints:
        """Rows of thirteen: cards of each rank, of whatever suit."""
        return self.others + (self.masks[:, None] >> np.arange(RANKS) & 1)

    @cached_property
    def cards(self) -> Indices:
        """Rows of the types of the cards."""
        suited = self.masks[:, None] >> np.arange(RANKS) & 1
        return _listed(np.concatenate([suited, self.others], axis=1))

    @property
    def times(self) -> Ints:
        """How many sets of cards are like each, for one suit."""
        ways: Ints = np.array([1, 3, 3, 1])[self.others].prod(axis=1)
        return ways

    @property
    def left(self) -> Ints:
        """Rows of 26: cards of each type that are not in the set."""
        suited = 1 - (self.masks[:, None] >> np.arange(RANKS) & 1)
        return np.concatenate([suited, SUIT - 1 - self.others], axis=1)

    def number(self, masks: Ints | int, others: Ints) -> Indices:
        """The place of sets given by the ranks in the suit and rows of the ranks outside it."""
        masks = np.asarray(masks)
        count = np.bitwise_count(masks).astype(np.intp)
        outside = self._size - count
        weights = np.arange(RANKS)
        sums = others @ weights
        low = np.argmax(others > 0, axis=-1)
        pairs = pair_types(RANKS).number[low, np.maximum(sums - low, 0) % RANKS]
        place = np.where(outside == 2, pairs, np.where(outside == 1, sums, 0))
        many = np.where(outside == 2, len(pair_types(RANKS).low), np.where(outside == 1, RANKS, 1))
        numbers: Indices = self._first[count] + self._place[masks] * many + place
        return numbers


def _listed(counts: Ints) -> Indices:
    """Rows of how many of each there are -> rows of what they are."""
    sets, types = counts.shape
    return np.repeat(np.tile(np.arange(types), sets), counts.ravel()).reshape(sets, -1)


def _outside(size: int) -> Ints:
    """Rows of counts of up to two cards outside the suit, in the order of the pairs of ranks."""
    chosen = list(combinations_with_replacement(range(RANKS), size))
    return np.array(
        [np.bincount(np.array(one, dtype=np.intp), minlength=RANKS) for one in chosen], dtype=np.int64
    )
