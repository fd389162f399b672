"""Cards by what matters to one suit: rank and whether of that suit; and unordered pairs of such types.

A flush can come in at most one suit, so a card's suit matters only where it is that suit. Type ``r`` is the
card of rank ``r`` (0 is the two, 12 the ace) in the suit, type ``13 + r`` one of that rank in another suit.
Where no suit matters the thirteen ranks are the types, with four cards each.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Indices = npt.NDArray[np.intp]

RANKS = 13
SUITED_TYPES = 26


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
    low, high = left[..., pairs.low], left[..., pairs.high]
    return np.where(pairs.low == pairs.high, low * (low - 1) // 2, low * high)


def rank_pair_of(pairs: PairTypes) -> Indices:
    """For each pair of suited types the pair of ranks."""
    ranks: Indices = pair_types(RANKS).number[pairs.low % RANKS, pairs.high % RANKS]
    return ranks
