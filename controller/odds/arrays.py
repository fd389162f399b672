"""The baccarat sum with numpy: a vector of ways to draw, times a matrix of coefficients.

Floating point is exact here: all terms are whole and none is negative, so every product and every partial
sum, in whatever order it is taken, is whole and at most the number of all ways to draw the cards, which
:data:`controller.odds.composition.MOST_CARDS` keeps below 2**53.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import perm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.odds.composition import MOST_CARDS
from controller.odds.multisets import CLASSES, HALF, LARGEST, multisets, parts
from controller.odds.tableau import OUTCOMES, coefficients

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]


class _Plan(NamedTuple):
    """Where the factors of each part, and the parts of each multiset, stand."""

    factors: Places
    """By half, class and part: places in the falling factorials of the ten counts."""
    low: Places
    high: Places
    """By multiset: places in the products of the parts, low half first."""


def outcome_ways(known: int, state: int, counts: Sequence[int]) -> list[int]:
    """Ordered ways to each of the nine outcomes; see :func:`controller.odds.baccarat.outcome_ways`."""
    plan = _plan(6 - known)
    factors = _permutations()[counts].take(plan.factors)
    ways = np.multiply.reduce(factors, axis=1).ravel()
    drawn = ways.take(plan.low) * ways.take(plan.high)
    return [int(sum_) for sum_ in _matrix(known, state).dot(drawn).tolist()]


@cache
def _permutations() -> Floats:
    """By count and length."""
    table = [[perm(count, length) for length in range(LARGEST + 1)] for count in range(MOST_CARDS + 1)]
    return np.array(table, dtype=np.float64)


@cache
def _plan(unseen: int) -> _Plan:
    """The places for so many unseen cards."""
    halves = [part for size in range(unseen + 1) for part in parts(size)]
    starts = [0]
    for size in range(unseen + 1):
        starts.append(starts[-1] + len(parts(size)))
    factors = [
        [[(half * HALF + place) * (LARGEST + 1) + part[place] for part in halves] for place in range(HALF)]
        for half in range(CLASSES // HALF)
    ]
    pairs = [
        (starts[low_size] + low, len(halves) + starts[unseen - low_size] + high)
        for low_size, low, high in multisets(unseen)
    ]
    low, high = np.array(pairs, dtype=np.intp).T
    return _Plan(np.array(factors, dtype=np.intp), np.ascontiguousarray(low), np.ascontiguousarray(high))


@lru_cache(maxsize=16)
def _matrix(known: int, state: int) -> Floats:
    """Coefficients by outcome and multiset."""
    found = np.frombuffer(coefficients(known, state), dtype=np.uint8)
    return found.reshape(OUTCOMES, -1).astype(np.float64)
