"""Pairs of ranks of hold'em: 91 of them stand for all pairs of cards where suits do not matter."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from operator import add, itemgetter, mul

from controller.odds.keys import HIGH_SHIFT, LOW_FIELD, RANK_OF, RANKS_UP, rank_key
from controller.odds.lanes import LANE, side_by_side
from controller.odds.seven import columns, rows, strengths
from controller.vocabulary.cards import Card

RANKS = range(len(RANKS_UP))
PAIRS = list(combinations_with_replacement(RANKS, 2))
WIDTH = len(PAIRS)
NUMBER = [[PAIRS.index((min(one, two), max(one, two))) for two in RANKS] for one in RANKS]
"""The number of the pair of two ranks."""
_KEYS = [rank_key(rank) for rank in RANKS]
_ONE = [[1 << LANE * NUMBER[one][two] for two in RANKS] for one in RANKS]
"""One way to hold two ranks, and no other pair."""
_FIRST, _SECOND = (itemgetter(*(pair[place] for pair in PAIRS)) for place in range(2))
_EQUAL = [NUMBER[rank][rank] for rank in RANKS]


def pair_ways(counts: Sequence[int]) -> list[int]:
    """In how many ways one can hold each pair of ranks, from the cards of each rank."""
    ways = list(map(mul, _FIRST(counts), _SECOND(counts)))
    for number, count in zip(_EQUAL, counts, strict=True):
        ways[number] = comb(count, 2)
    return ways


class PairWays:
    """In how many ways one can hold each pair of ranks, as lanes."""

    def __init__(self, counts: Sequence[int]) -> None:
        """``counts``: cards by rank."""
        self._counts = counts
        self._all = side_by_side(pair_ways(counts))

    @cached_property
    def _with(self) -> list[int]:
        """By rank: the pairs that go with a card of it, each as often as there is a card to go with."""
        return [
            sum(map(mul, self._counts, _ONE[rank])) - bool(count) * _ONE[rank][rank]
            for rank, count in enumerate(self._counts)
        ]

    def after(self, ranks: Sequence[int]) -> int:
        """The same when a card of each of these ranks, at most two, is taken; the pair of two such cards goes
        only once."""
        ways = self._all
        for rank in ranks:
            ways -= self._with[rank]
        return ways + _ONE[ranks[0]][ranks[1]] if len(ranks) == 2 else ways


class RankGroups:
    """Groups of ranks, and how strong some cards are with each of them."""

    def __init__(self, groups: Sequence[tuple[int, ...]]) -> None:
        keys = [sum(_KEYS[rank] for rank in group) for group in groups]
        self._rows = _Places([key & LOW_FIELD for key in keys])
        self._columns = _Places([key >> HIGH_SHIFT for key in keys])

    def strengths(self, key: int) -> list[int]:
        """By group, of the cards with this key and the group, by ranks alone. Of groups that the deck has not
        any more, which would be five of a rank, it is some number.
        """
        places = map(add, self._rows.of(rows, key & LOW_FIELD), self._columns.of(columns, key >> HIGH_SHIFT))
        return list(map(strengths.__getitem__, places))


class _Places:
    """Places of a table, many of them again and again: each is looked up once."""

    def __init__(self, places: Sequence[int]) -> None:
        each = sorted(set(places))
        number = {place: at for at, place in enumerate(each)}
        self._length = each[-1] + 1
        self._each = itemgetter(*each)
        self._all = itemgetter(*(number[place] for place in places))

    def of(self, table: array[int], start: int) -> tuple[int, ...]:
        """What the table has there, from ``start`` on; 0 beyond its end."""
        part = table[start : start + self._length]
        part.frombytes(bytes(part.itemsize * (self._length - len(part))))
        found: tuple[int, ...] = self._all(self._each(part))
        return found


def key_of(cards: Sequence[Card]) -> int:
    """What the ranks of cards add to a key."""
    return sum(_KEYS[RANK_OF[card]] for card in cards)


def count_by_rank(cards: Sequence[Card]) -> list[int]:
    """How many there are of each rank."""
    counts = [0] * len(RANKS)
    for card in cards:
        counts[RANK_OF[card]] += 1
    return counts
