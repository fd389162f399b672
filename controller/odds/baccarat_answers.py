"""What the points of a round of baccarat make, where its hands have pairs or not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import perm, prod
from typing import NamedTuple

from controller.odds.baccarat_points import Asked, Table
from controller.odds.multisets import HALF, LARGEST, products
from controller.odds.pair_events import Shape, Slot, State, slots

Function = tuple[int, ...]
"""A number for each of ``FINALS``."""


class _Answered(NamedTuple):
    """A part of the answers of a table, in their order."""

    shape: Shape
    number: int
    drawn: Slot
    """The cards of the pairs, where only these can make them."""


_Made = list[tuple[Table, list[_Answered]]]


class Answers:
    """The orders of the cards that are left when those of the pairs are fixed, times a function of what the
    points make then. The tables of a state are made at the first question from it."""

    def __init__(self, functions: Mapping[Shape, Sequence[Function]]) -> None:
        self._functions = functions
        self._made: dict[State, _Made] = {}

    def by_shape(self, state: State, counts: Sequence[int]) -> dict[Shape, list[list[int]]]:
        """By shape, by function, by slot; ``counts`` are the unseen cards of each class."""
        if state not in self._made:
            self._made[state] = self._tables(state)
        unseen = LARGEST - state[0] - state[1]
        lows, highs = products(counts[:HALF], unseen), products(counts[HALF:], unseen)
        found = {}
        for table, parts in self._made[state]:
            answers = table.answers(lows, highs)
            start = 0
            for shape, number, drawn in parts:
                functions = len(self._functions[shape])
                these = answers[start : start + number]
                if drawn:
                    ways = prod(perm(counts[point], drawn.count(point)) for point in set(drawn))
                    these = [answer // ways if ways else 0 for answer in these]
                found[shape] = [these[place::functions] for place in range(functions)]
                start += number
        return found

    def _tables(self, state: State) -> _Made:
        """What is of one size stands in one table; so does all that only one slot can make."""
        together: dict[int, list[Shape]] = {}
        for shape in self._functions:
            ways = slots(state, shape)
            together.setdefault(len(ways[0]) if len(ways) > 1 else 0, []).append(shape)
        made = []
        for shapes in together.values():
            asked, answered = [], []
            for shape in shapes:
                ways, functions = slots(state, shape), self._functions[shape]
                alone = len(ways) == 1
                for slot in ways:
                    drawn, taken = (slot, ()) if alone else ((), slot)
                    asked.append(Asked(_after(state, shape, slot), drawn, taken, functions))
                answered.append(_Answered(shape, len(ways) * len(functions), ways[0] if alone else ()))
            made.append((Table(asked), answered))
        return made


def _after(state: State, shape: Shape, slot: Slot) -> State:
    """The state when the cards of the pairs are there, the Player's first in ``slot``."""
    mine, theirs, player, banker = state
    fixed = 2 - mine if shape.player else 0
    return (
        mine + fixed,
        theirs + len(slot) - fixed,
        (player + sum(slot[:fixed])) % 10,
        (banker + sum(slot[fixed:])) % 10,
    )
