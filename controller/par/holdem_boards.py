"""What a played hand meets on every board of hold'em, and how the boards follow from the flops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.par.card_types import RANKS, SUITED_TYPES, Indices, Ints, pair_types, pair_ways, rank_pair_of
from controller.par.holdem_strengths import HoldemStrengths
from controller.par.showdown import Strengths, Versus, versus
from controller.par.suited_sets import SUIT, RankSets, SuitedSets

_BATCH = 512
DEALERS = 990
"""Hands of two that the 45 unseen cards make."""


class Met(NamedTuple):
    """Rows are boards, columns the pairs of types that a hand may hold. Where it cannot be held all is 0."""

    row: npt.NDArray[np.int8]
    """The hand's row of the Ante's pay table, a place in ``ANTE_ROWS``."""
    out: npt.NDArray[np.int16]
    """Dealer hands that do not qualify."""
    weaker: npt.NDArray[np.int16]
    equal: npt.NDArray[np.int16]
    stronger: npt.NDArray[np.int16]

    @property
    def dealers(self) -> tuple[npt.NDArray[np.int16], ...]:
        """Out, weaker, equal, stronger: together 990, or 0 if the hand cannot be held."""
        return (self.out, self.weaker, self.equal, self.stronger)

    @property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Whether the hand can be held on the board."""
        together: npt.NDArray[np.int16] = self.out + self.weaker + self.equal + self.stronger
        return together > 0


class Run(NamedTuple):
    """How one flop runs on: the boards that can follow, and for each hand in how many ways each does."""

    flop: int
    boards: Indices
    ways: Ints
    """Rows are the boards, columns the hands."""


class PlainBoards:
    """Boards and flops by ranks alone, as if there were no flushes."""

    def __init__(self) -> None:
        self.flops = RankSets(3)
        self.boards = RankSets(5)
        self.strengths = HoldemStrengths(self.boards)
        self.met = _met(self.strengths, self.strengths.by_ranks, self.boards.left)

    def runs(self) -> Iterator[Run]:
        """Every flop with all its turns and rivers."""
        held = _held(RANKS)
        for flop, counts in enumerate(self.flops.counts):
            boards = counts + held
            able = (boards <= SUIT).all(axis=1)
            ways = pair_ways(SUIT - counts - held).T
            yield Run(flop, self.boards.number(boards[able]), ways[able])


class SuitedBoards:
    """Boards with three or more of a suit, and the flops from which they can follow."""

    def __init__(self, plain: PlainBoards) -> None:
        self.flops = SuitedSets(3, least=1)
        self.boards = SuitedSets(5, least=3)
        self.plain_board: Indices = plain.boards.number(self.boards.counts)
        """The same board by ranks alone."""
        rank_pairs = rank_pair_of(pair_types(SUITED_TYPES))
        parts = [
            _met(
                plain.strengths,
                plain.strengths.on_boards(self.boards, places, self.plain_board, rank_pairs),
                self.boards.left[places],
            )
            for places in _batches(len(self.boards))
        ]
        self.met = Met(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def runs(self) -> Iterator[Run]:
        """Every flop with the turns and rivers that bring three or more of the suit."""
        held = _held(SUITED_TYPES)
        turned = held[:, :RANKS] @ (1 << np.arange(RANKS, dtype=np.int64))
        outside = held[:, RANKS:]
        suited = held[:, :RANKS].sum(axis=1)
        distinct = held[:, :RANKS].max(axis=1) <= 1
        groups, group = np.unique(self.flops.others, axis=0, return_inverse=True)
        for number, others in enumerate(groups):
            left = np.concatenate([np.ones(RANKS, dtype=np.int64), SUIT - 1 - others])
            all_ways = pair_ways(left - held).T
            fits = distinct & (outside + others <= SUIT - 1).all(axis=1)
            for flop in np.flatnonzero(group == number):
                mask = self.flops.masks[flop]
                able = fits & (turned & mask == 0) & (suited + int(mask).bit_count() >= 3)
                boards = self.boards.number(mask | turned[able], others + outside[able])
                yield Run(int(flop), boards, all_ways[able])


def _met(strengths: HoldemStrengths, held: Strengths, left: Ints) -> Met:
    parts = [_met_some(strengths, held[places], left[places]) for places in _batches(len(held))]
    return Met(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _met_some(strengths: HoldemStrengths, held: Strengths, left: Ints) -> Met:
    found: Versus = versus(held, left, strengths.qualifies)
    counts = [np.where(found.possible, one, 0) for one in (found.out, found.weaker, found.equal)]
    stronger = np.where(found.possible, DEALERS - sum(counts), 0)
    return Met(strengths.rows[held], *(one.astype(np.int16) for one in (*counts, stronger)))


def _batches(rows: int) -> list[slice]:
    return [slice(start, start + _BATCH) for start in range(0, rows, _BATCH)]


def _held(types: int) -> Ints:
    """Rows are the pairs of types: how many of each type they hold."""
    pairs = pair_types(types)
    each = np.eye(types, dtype=np.int64)
    return each[pairs.low] + each[pairs.high]
