"""The baccarat sum without numpy: nine outcomes at once, in integers of many lanes.

The coefficients of all low parts and all outcomes that belong to one high part are packed into one integer,
a lane for each. Multiplied by the ways to draw the high part and added up, they are sums in every lane, by
the arithmetic of long integers alone. No lane overflows: it has room for the number of all ways to draw so
many of :data:`controller.odds.composition.MOST_CARDS` cards, three to seven bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from math import perm
from operator import mul

from controller.odds.composition import MOST_CARDS
from controller.odds.multisets import HALF, parts, products
from controller.odds.tableau import OUTCOMES, coefficients

Packed = list[list[int]]
"""By size of the low part and by high part: lanes by low part, then by what is counted."""

STATES = 1 + 10 + 3 * 100
"""What the rules can ask of zero to four known cards. All of them packed are 5 MB."""


def outcome_ways(known: int, state: int, counts: Sequence[int]) -> list[int]:
    """Ordered ways to each of the nine outcomes; see :func:`controller.odds.baccarat.outcome_ways`."""
    return sums(_outcomes(known, state), OUTCOMES, 6 - known, counts)


def sums(coefficients: Packed, lanes: int, unseen: int, counts: Sequence[int]) -> list[int]:
    """By lane: the coefficients of all multisets of ``unseen`` cards times the ways to draw them."""
    lane = lane_bytes(unseen)
    row = lane * lanes
    lows, highs = _products(tuple(counts[:HALF]), unseen), _products(tuple(counts[HALF:]), unseen)
    ways = 0
    for low_size, low in enumerate(lows):
        columns = sum(map(mul, highs[unseen - low_size], coefficients[low_size]))
        packed_ = columns.to_bytes(row * len(low), "little")
        rows = [int.from_bytes(packed_[at : at + row], "little") for at in range(0, len(packed_), row)]
        ways += sum(map(mul, low, rows))
    whole = ways.to_bytes(row, "little")
    return [int.from_bytes(whole[at : at + lane], "little") for at in range(0, row, lane)]


@lru_cache(maxsize=64)
def _products(half: tuple[int, ...], unseen: int) -> list[list[int]]:
    """A house's own spots ask for the same ones again, and one card changes one half."""
    return products(half, unseen)


def packed(lanes: Sequence[Sequence[int]], unseen: int) -> Packed:
    """Coefficients of all multisets of ``unseen`` cards in order, a sequence for each lane."""
    lane = lane_bytes(unseen)
    row = lane * len(lanes)
    each = len(lanes[0])
    whole = bytearray(row * each)
    for number, found in enumerate(lanes):
        if isinstance(found, memoryview):  # of bytes, as the tables have them
            whole[lane * number :: row] = found
            continue
        for byte in range(2):
            whole[lane * number + byte :: row] = bytes(value >> 8 * byte & 255 for value in found)
    by_size = []
    start = 0
    for low_size in range(unseen + 1):
        length = row * len(parts(low_size))
        end = start + length * len(parts(unseen - low_size))
        by_size.append(
            [int.from_bytes(whole[at : at + length], "little") for at in range(start, end, length)]
        )
        start = end
    return by_size


@cache
def lane_bytes(unseen: int) -> int:
    """Room for the most orders of so many cards, each counted up to four times."""
    return max(2, -(-(4 * perm(MOST_CARDS, unseen)).bit_length() // 8))


@lru_cache(maxsize=STATES)
def _outcomes(known: int, state: int) -> Packed:
    found = coefficients(known, state)
    each = len(found) // OUTCOMES
    return packed([found[number * each : (number + 1) * each] for number in range(OUTCOMES)], 6 - known)
