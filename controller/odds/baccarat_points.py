"""Ways by the points of a round of baccarat: tables of how many orders of each multiset of cards end so.

A table is made once for a pay table, from the thirds backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from operator import mul

from controller.odds.baccarat_thirds import FINALS, TWO_POINTS, Final, final
from controller.odds.multisets import CLASSES, LARGEST, multisets, parts
from controller.odds.pair_events import State
from controller.odds.plain import Packed, packed, sums

LANE = 16
"""Bits: no multiset of six has more than 720 orders, and no correction counts one more than four times."""
_ONE_LANE = (1 << LANE) - 1


class PointsTable:
    """Ways by the points of a round: in how many orders each multiset of cards makes some endings."""

    def __init__(self, lanes: Sequence[int], values: Mapping[Final, int]) -> None:
        self.lanes = lanes
        """The place of the ending that each lane counts; below 0, ``~place``, counts against it."""
        self._values = values
        of_finals = [values[one] for one in FINALS]
        self._by_lane = [
            [(place, value >> shift & _ONE_LANE) for place, value in enumerate(of_finals)]
            for shift in range(0, LANE * len(lanes), LANE)
        ]
        self._orders: dict[State, dict[int, int]] = {}
        self._packed: dict[State, Packed] = {}

    def ways(self, state: State, counts: Sequence[int]) -> list[int]:
        """By lane, from a state (see ``orders``) and the unseen cards of each class."""
        unseen = LARGEST - state[0] - state[1]
        if state not in self._packed:
            orders = self.orders(state)
            each = [orders.get(key, 0) for key in _keys(unseen)]
            lanes = [[value >> LANE * lane & _ONE_LANE for value in each] for lane in range(len(self.lanes))]
            self._packed[state] = packed(lanes, unseen)
        return sums(self._packed[state], len(self.lanes), unseen, counts)

    def add(self, ways: list[int], by_lane: Sequence[int], times: int = 1) -> None:
        """Add what the lanes have to the ways of the endings."""
        for lane, number in zip(self.lanes, by_lane, strict=True):
            ways[max(lane, ~lane)] += times * number if lane >= 0 else -times * number

    def weighed(self, weights: Sequence[int]) -> list[int]:
        """By lane, from the weight of each of :data:`FINALS`."""
        return [sum([weights[place] * value for place, value in lane if value]) for lane in self._by_lane]

    def orders(self, state: State) -> dict[int, int]:
        """Key of a multiset of the cards that are missing to six -> its orders, in lanes."""
        found = self._orders.get(state)
        if found is None:
            found = self._orders[state] = dict(self._thirds(*state[2:])) if state[:2] == (2, 2) else {}
            for point, after in _next(state):
                for key, value in self.orders(after).items():
                    found[key + _KEY[point]] = found.get(key + _KEY[point], 0) + value
        return found

    def _thirds(self, player: int, banker: int) -> dict[int, int]:
        """The orders of the last two cards, of which both, one or none is dealt."""
        orders: dict[int, int] = {}
        for fifth, sixth in TWO_POINTS:
            key = _KEY[fifth] + _KEY[sixth]
            value = self._values[final(player, banker, (fifth, sixth))]
            orders[key] = orders.get(key, 0) + value
        return orders


def _next(state: State) -> Iterator[tuple[int, State]]:
    """The points of another of the first four cards, and the state with it."""
    mine, theirs, player, banker = state
    for point in range(CLASSES):
        if mine < 2:
            yield point, (mine + 1, theirs, (player + point) % 10, banker)
        elif theirs < 2:
            yield point, (mine, theirs + 1, player, (banker + point) % 10)


_KEY = tuple((LARGEST + 1) ** point for point in range(CLASSES))
"""Sums of these are different for different multisets."""


@cache
def _keys(size: int) -> list[int]:
    """The key of each multiset in the order of :func:`multisets`."""
    return [
        sum(map(mul, (*parts(low_size)[low], *parts(size - low_size)[high]), _KEY))
        for low_size, low, high in multisets(size)
    ]
