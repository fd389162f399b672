"""Pairs in the first two cards of each side (2.5.3), counted in closed form by rank.

Cards fall player, banker, player, banker. A pair is two cards of one rank; a king and a queen are none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

SEEN = 4
"""The cards that decide the pairs."""


class PairWays(NamedTuple):
    """Orders of the cards that are still missing of the first four, by what they make."""

    player: int
    banker: int
    both: int


def pair_ways(counts: Sequence[int], known: Sequence[int]) -> PairWays:
    """The ways to the pairs, from the unseen cards of each rank and the ranks known so far (a fifth is
    ignored)."""
    left = sum(counts)
    match known[:SEEN]:
        case []:
            twos = [count * (count - 1) for count in counts]
            pairs = sum(twos)
            one = pairs * (left - 2) * (left - 3)
            both = sum(
                two * (pairs - two + (count - 2) * (count - 3))
                for two, count in zip(twos, counts, strict=True)
            )
            return PairWays(one, one, both)
        case [first]:
            pairs = sum(count * (count - 1) for count in counts)
            same = counts[first]
            both = same * (pairs - same * (same - 1) + (same - 1) * (same - 2))
            return PairWays(same * (left - 1) * (left - 2), pairs * (left - 2), both)
        case [first, second]:
            both = counts[first] * (counts[second] - (first == second))
            return PairWays(counts[first] * (left - 1), counts[second] * (left - 1), both)
        case [first, second, third]:
            player = first == third
            return PairWays(player * left, counts[second], player * counts[second])
        case [first, second, third, fourth]:
            return PairWays(
                int(first == third), int(second == fourth), int(first == third and second == fourth)
            )
    raise ValueError(f"known is {known!r}: expected places of ranks")
