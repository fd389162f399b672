"""Two hands from one deck, by ranks, with numpy: how often a hand of one kind meets one of another."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from controller.odds.multisets import HALF, Part, multisets, parts

_ROWS = 256

Floats = npt.NDArray[np.float64]


def ways_by_kind(left: Sequence[int], size: int, kind_of: Sequence[int]) -> list[list[int]]:
    """Ways to deal two hands of ``size`` cards, by the kind of the first and of the second.

    ``left`` are the cards of each of ten ranks, at most four of each; ``kind_of`` has the kind of each
    spread of a hand, in the order of :func:`controller.odds.two_cards_high.spreads`. Floating point is
    exact: all numbers are whole and at most the number of all deals, which is below 2**53 for forty cards
    and hands of five.
    """
    halves = [part for part_size in range(size + 1) for part in parts(part_size)]
    low_ways, high_ways = _half_ways(left[:HALF], halves), _half_ways(left[HALF:], halves)
    place = {part: number for number, part in enumerate(halves)}
    spread = [
        (place[parts(low_size)[low]], place[parts(size - low_size)[high]])
        for low_size, low, high in multisets(size)
    ]
    low, high = np.array(spread, dtype=np.intp).T
    kinds = np.eye(max(kind_of) + 1)[list(kind_of)]
    ways = np.zeros((kinds.shape[1], kinds.shape[1]))
    for start in range(0, len(spread), _ROWS):
        rows = slice(start, start + _ROWS)
        met = low_ways[low[rows]][:, low] * high_ways[high[rows]][:, high]
        ways += kinds[rows].T @ (met @ kinds)
    return [[int(number) for number in row] for row in ways.tolist()]


def _half_ways(left: Sequence[int], halves: Sequence[Part]) -> Floats:
    """Ways to deal a part of five ranks to the first hand and another to the second."""
    held = np.array(halves)
    ways = np.ones((len(halves), len(halves)))
    for rank, cards in enumerate(left):
        both = [
            [comb(cards, one) * comb(cards - one, two) if one <= cards else 0 for two in range(6)]
            for one in range(6)
        ]
        ways *= np.array(both, dtype=np.float64)[held[:, rank]][:, held[:, rank]]
    return ways
