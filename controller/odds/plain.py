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

STATES = 1 + 10 + 3 * 100
"""What the rules can ask of zero to four known cards. All of them packed are 5 MB."""


def outcome_ways(known: int, state: int, counts: Sequence[int]) -> list[int]:
    """Ordered ways to each of the nine outcomes; see :func:`controller.odds.baccarat.outcome_ways`."""
    unseen = 6 - known
    lane = lane_bytes(unseen)
    row = lane * OUTCOMES
    lows = products(counts[:HALF], unseen)
    highs = products(counts[HALF:], unseen)
    packed = _packed(known, state)
    ways = 0
    for low_size, low in enumerate(lows):
        columns = sum(map(mul, highs[unseen - low_size], packed[low_size]))
        lanes = columns.to_bytes(row * len(low), "little")
        rows = [int.from_bytes(lanes[at : at + row], "little") for at in range(0, len(lanes), row)]
        ways += sum(map(mul, low, rows))
    lanes = ways.to_bytes(row, "little")
    return [int.from_bytes(lanes[at : at + lane], "little") for at in range(0, row, lane)]


@cache
def lane_bytes(unseen: int) -> int:
    """Room for the most orders of so many cards."""
    return -(-perm(MOST_CARDS, unseen).bit_length() // 8)


@lru_cache(maxsize=STATES)
def _packed(known: int, state: int) -> list[list[int]]:
    """By size of the low part and by high part: lanes by low part, then outcome."""
    unseen = 6 - known
    lane = lane_bytes(unseen)
    row = lane * OUTCOMES
    found = coefficients(known, state)
    each = len(found) // OUTCOMES
    lanes = bytearray(row * each)
    for outcome in range(OUTCOMES):
        lanes[lane * outcome :: row] = found[outcome * each : (outcome + 1) * each]
    packed = []
    start = 0
    for low_size in range(unseen + 1):
        length = row * len(parts(low_size))
        end = start + length * len(parts(unseen - low_size))
        packed.append([int.from_bytes(lanes[at : at + length], "little") for at in range(start, end, length)])
        start = end
    return packed
