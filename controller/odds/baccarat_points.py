"""Ways by the points of a round of baccarat: how many orders of the unseen cards make what, for many
questions at once.

A question fixes some cards first, those of a pair, and goes on by points. What it fixes is either drawn from
the unseen cards like all others, or taken off before: then each falling factorial of what is left of a class
is written by those of the class as it is (Vandermonde: (n - a)_k is the sum of C(k, j) (n)_(k-j) (-a)_j). So
all questions of one state of the round are answered by the same products of the counts, each in its own lane.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import comb
from operator import mul
from typing import NamedTuple

from controller.odds.baccarat_thirds import TWO_POINTS, final_place
from controller.odds.multisets import CLASSES, HALF, LARGEST, parts
from controller.odds.pair_events import State
from controller.odds.plain import lane_bytes

Products = list[list[int]]
"""By size: the ways to draw each part of a half of the classes (``multisets.products``)."""
Polynomial = dict[int, int]
"""Key of a multiset -> its factor."""


class Asked(NamedTuple):
    """What is asked of a round that goes on from a state."""

    state: State
    drawn: Sequence[int]
    """Classes of cards that led to the state and are drawn, first, from the unseen ones."""
    taken: Sequence[int]
    """Of those that led to it and are no longer among the unseen ones."""
    functions: Sequence[Sequence[int]]
    """Each has a number for each of ``FINALS``."""


class Table:
    """The answers to some questions, from the ways to draw the parts of both halves of the classes."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._lanes = sum(len(one.functions) for one in asked)
        self._most = max(LARGEST - sum(one.state[:2]) + len(one.drawn) for one in asked)
        self._lane = lane_bytes(self._most)
        polynomial: Polynomial = {}
        lane = 0
        for one in asked:
            shift = 8 * self._lane * lane
            for key, factor in self._answer(one).items():
                polynomial[key] = polynomial.get(key, 0) + (factor << shift)
            lane += len(one.functions)
        row = self._lane * self._lanes
        self._half_row = 1 << 8 * row - 1
        self._half_lanes = sum(1 << 8 * self._lane * (lane + 1) - 1 for lane in range(self._lanes))
        self._columns = [self._column(size, polynomial) for size in range(self._most + 1)]
        self._halves = [
            sum(self._half_row << 8 * row * place for place in range(len(parts(size))))
            for size in range(self._most + 1)
        ]

    def answers(self, lows: Products, highs: Products) -> list[int]:
        """One for each function of each question, in order.

        Rows and lanes may be less than nothing: half of their room is added before they are taken apart.
        """
        row = self._lane * self._lanes
        ways = self._half_lanes
        for low, groups, half in zip(lows, self._columns, self._halves, strict=False):
            columns = half
            for size, factors in groups:
                columns += sum(map(mul, highs[size], factors))
            whole = columns.to_bytes(row * len(low), "little")
            rows = [int.from_bytes(whole[at : at + row], "little") for at in range(0, len(whole), row)]
            ways += sum(map(mul, low, rows)) - self._half_row * sum(low)
        whole = ways.to_bytes(row, "little")
        half_lane = 1 << 8 * self._lane - 1
        return [
            int.from_bytes(whole[at : at + self._lane], "little") - half_lane
            for at in range(0, row, self._lane)
        ]

    def _column(self, low_size: int, polynomial: Polynomial) -> list[tuple[int, list[int]]]:
        """By the size of high parts that have any: for each of these, the rows of all low parts, as one
        number."""
        found = []
        row = 8 * self._lane * self._lanes
        for size in range(self._most - low_size + 1):
            factors = []
            for high in _keys(size, HALF):
                rows = [polynomial.get(low + high, 0) for low in _keys(low_size, 0)]
                factors.append(sum(factor << row * place for place, factor in enumerate(rows)))
            if any(factors):
                found.append((size, factors))
        return found

    def _answer(self, asked: Asked) -> Polynomial:
        """The functions of a question side by side in its factors."""
        values = [
            sum(number << 8 * self._lane * lane for lane, number in enumerate(numbers))
            for numbers in zip(*asked.functions, strict=True)
        ]
        polynomial = _orders(asked.state, values)
        for point in set(asked.taken):
            polynomial = _without(polynomial, point, asked.taken.count(point))
        before = sum(_KEY[point] for point in asked.drawn)
        return {key + before: factor for key, factor in polynomial.items()}


def _orders(state: State, values: Sequence[int]) -> Polynomial:
    """The orders of each multiset of the cards that are missing to six, times the value of what they make."""
    mine, theirs, player, banker = state
    if mine == theirs == 2:
        orders: Polynomial = {}
        for key, place in _thirds(player, banker):
            orders[key] = orders.get(key, 0) + values[place]
        return orders
    found: Polynomial = {}
    for points, drawn in _draws(2 - mine if mine < 2 else 2 - theirs).items():
        after = (2, theirs, (player + points) % 10, banker)
        if mine == 2:
            after = (2, 2, player, (banker + points) % 10)
        further = _orders(after, values).items()
        for more, times in drawn:
            for key, value in further:
                found[key + more] = found.get(key + more, 0) + times * value
    return found


def _without(polynomial: Polynomial, point: int, taken: int) -> Polynomial:
    """The same from the unseen cards as they are, where so many of this class are taken off."""
    found: Polynomial = {}
    for key, value in polynomial.items():
        there = key // _KEY[point] % (LARGEST + 1)
        rising = 1
        for fewer in range(there + 1):
            less = key - fewer * _KEY[point]
            found[less] = found.get(less, 0) + comb(there, fewer) * rising * value
            rising *= -(taken + fewer)
    return found


@cache
def _thirds(player: int, banker: int) -> list[tuple[int, int]]:
    """Key of the last two cards, of which both, one or none is dealt, and the place of what they make."""
    return [(_KEY[thirds[0]] + _KEY[thirds[1]], final_place(player, banker, thirds)) for thirds in TWO_POINTS]


@cache
def _draws(cards: int) -> dict[int, list[tuple[int, int]]]:
    """By points: keys of one or two cards that make them, and the orders of each."""
    found: dict[int, list[tuple[int, int]]] = {points: [] for points in range(10)}
    for one in range(CLASSES):
        if cards == 1:
            found[one].append((_KEY[one], 1))
            continue
        for other in range(one, CLASSES):
            found[(one + other) % 10].append((_KEY[one] + _KEY[other], 1 + (one != other)))
    return found


_KEY = tuple((LARGEST + 1) ** point for point in range(CLASSES))
"""Sums of these are different for different multisets."""


@cache
def _keys(size: int, first: int) -> list[int]:
    """The key of each part of a half, in order; the classes of the half begin with ``first``."""
    return [sum(map(mul, part, _KEY[first : first + HALF])) for part in parts(size)]
