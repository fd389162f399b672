"""What a played hand meets on every board of hold'em, and how the boards follow from the flops.

Of the dealer hands that remain, those weaker than x that share no card with the hand {a, b} are: all weaker
than x, less those with a, less those with b, plus one where {a, b} itself is weaker (it was taken off twice).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.par.card_sets import (
    RANKS,
    SUIT,
    SUITED_TYPES,
    Indices,
    Ints,
    RankSets,
    SuitedSets,
    pair_types,
    pair_ways,
    rank_pair_of,
)
from controller.par.holdem_strengths import HoldemStrengths, Strengths

Shorts = npt.NDArray[np.int16]

BATCH = 512
DEALERS = 990
"""Hands of two that the 45 unseen cards make."""


class Met(NamedTuple):
    """Rows are boards, columns the pairs of types that a hand may hold. Where it cannot be held all is 0."""

    row: npt.NDArray[np.int8]
    """The hand's row of the Ante's pay table, a place in ``ANTE_ROWS``."""
    dealers: Shorts
    """Dealer hands that do not qualify; that do and are weaker, equal, stronger: together 990."""
    weaker: Shorts
    """All dealer hands that are weaker; where the hand cannot be held this and the next say nothing."""
    up_to: Shorts
    """Those that are not stronger."""

    @property
    def possible(self) -> npt.NDArray[np.bool_]:
        """Whether the hand can be held on the board."""
        possible: npt.NDArray[np.bool_] = self.dealers.max(axis=0) > 0
        return possible


class Run(NamedTuple):
    """How one flop runs on: the boards that can follow, and for each hand in how many ways each does."""

    flop: int
    boards: Indices
    ways: Ints
    """Rows are the boards, columns the hands."""


class PlainBoards:
    """Boards and flops by ranks alone, as if there were no flushes."""

    def __init__(self, least_qualifying: int) -> None:
        self.flops = RankSets(3)
        self.boards = RankSets(5)
        self.strengths = HoldemStrengths(self.boards, least_qualifying)
        self.met = _met(self.strengths, self.boards.left, self.held)

    def held(self, places: slice) -> Strengths:
        """The strengths of all pairs on some of the boards."""
        return self.strengths.by_ranks[places]

    def runs(self) -> Iterator[Run]:
        """Every flop with all its turns and rivers."""
        held = held_by_pairs(RANKS)
        for flop, counts in enumerate(self.flops.counts):
            boards = counts + held
            able = (boards <= SUIT).all(axis=1)
            ways = pair_ways(SUIT - counts - held).T
            yield Run(flop, self.boards.number(boards[able]), ways[able])


class SuitedBoards:
    """Boards with three or more of a suit, and the flops from which they can follow."""

    def __init__(self, plain: PlainBoards) -> None:
        self._strengths = plain.strengths
        self.flops = SuitedSets(3, least=1)
        self.boards = SuitedSets(5, least=3)
        self.plain_boards = len(plain.boards)
        """How many there are by ranks alone."""
        self.plain_board: Indices = plain.boards.number(self.boards.counts)
        """The same board by ranks alone."""
        self.rank_pairs: Indices = rank_pair_of(pair_types(SUITED_TYPES))
        """The pairs of types by ranks alone."""
        self.met = _met(plain.strengths, self.boards.left, self.held)

    def held(self, places: slice) -> Strengths:
        """The strengths of all pairs on some of the boards."""
        return self._strengths.on_boards(self.boards, places, self.plain_board, self.rank_pairs)

    def runs(self) -> Iterator[Run]:
        """Every flop with the turns and rivers that bring three or more of the suit."""
        held = held_by_pairs(SUITED_TYPES)
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


def _met(strengths: HoldemStrengths, left: Ints, held: Callable[[slice], Strengths]) -> Met:
    """For boards with these cards ``left`` of each type; ``held`` has the strengths of the pairs on some."""
    rows = []
    batches: list[tuple[Shorts, Shorts, Shorts]] = []
    for start in range(0, len(left), BATCH):
        places = slice(start, start + BATCH)
        of_pairs = held(places)
        rows.append(strengths.rows[of_pairs])
        weaker, up_to = _compared(of_pairs, left[places])
        met = _dealers(of_pairs, left[places], strengths.qualifies, weaker, up_to)
        batches.append((met, weaker.astype(np.int16), up_to.astype(np.int16)))
    return Met(np.concatenate(rows), *(np.concatenate(each, axis=-2) for each in zip(*batches, strict=True)))


def _dealers(strengths: Strengths, left: Ints, qualifies: int, weaker: Ints, up_to: Ints) -> Shorts:
    """Dealer hands as in :class:`Met`, for all hands at once, on boards given as rows.

    ``strengths`` are the pairs' strengths (any order-preserving numbering), ``left`` the cards of each type
    that are not on the board, ``qualifies`` the least strength with which the dealer qualifies.
    """
    (out,) = dealers_below(strengths, left, [qualifies])
    unqualified = strengths < qualifies
    counts: list[Ints] = [
        out,
        np.where(unqualified, 0, weaker - out),
        np.where(unqualified, 0, up_to - weaker),
    ]
    counts.append(DEALERS - (counts[0] + counts[1] + counts[2]))
    return np.where(pair_ways(left) > 0, np.stack(counts), 0).astype(np.int16)


def _compared(strengths: Strengths, left: Ints) -> tuple[Ints, Ints]:
    """For each hand the dealer hands that are weaker, and those that are not stronger."""
    pairs = pair_types(left.shape[1])
    weaker, up_to = _below(strengths, pair_ways(left))
    # Hands with one given card of type a: by the type of the other card.
    with_weaker, with_up_to = _below(strengths[:, pairs.number], _others(left))
    for low, high in ((pairs.low, pairs.high), (pairs.high, pairs.low)):
        weaker = weaker - with_weaker[:, low, high]
        up_to = up_to - with_up_to[:, low, high]
    return weaker, up_to + 1


def dealers_below(strengths: Strengths, left: Ints, thresholds: Sequence[int]) -> list[Ints]:
    """For each hand, and for each threshold, the dealer hands below it. Arguments as in ``_dealers``; where
    the hand cannot be held the numbers say nothing."""
    pairs = pair_types(left.shape[1])
    ways, square, others = pair_ways(left), strengths[:, pairs.number], _others(left)
    below = []
    for threshold in thresholds:
        under = strengths < threshold
        with_under = (others * (square < threshold)).sum(axis=2)
        all_under = (ways * under).sum(axis=1)[:, None]
        below.append(all_under - with_under[:, pairs.low] - with_under[:, pairs.high] + under)
    return below


def _others(left: Ints) -> Ints:
    """By board and type of a card that somebody holds: how many cards of each type are left beside it."""
    types = left.shape[1]
    others = np.repeat(left[:, None, :], types, axis=1)
    diagonal = np.arange(types)
    others[:, diagonal, diagonal] -= 1
    np.maximum(others, 0, out=others)
    return others


def _below(strengths: Strengths, ways: Ints) -> tuple[Ints, Ints]:
    """Along the last axis: the ways of all entries weaker than each entry, and of those not stronger."""
    order = np.argsort(strengths, axis=-1)
    ordered = np.take_along_axis(strengths, order, -1)
    sums = np.cumsum(np.take_along_axis(ways, order, -1), axis=-1)
    places = np.broadcast_to(np.arange(strengths.shape[-1]), strengths.shape)
    new = np.ones(strengths.shape, dtype=bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    before = np.take_along_axis(sums, np.maximum(first - 1, 0), -1) * (first > 0)
    last = np.ones(strengths.shape, dtype=bool)
    last[..., :-1] = new[..., 1:]
    end = np.flip(np.minimum.accumulate(np.flip(np.where(last, places, places.shape[-1]), -1), axis=-1), -1)
    through = np.take_along_axis(sums, end, -1)
    back = np.argsort(order, axis=-1)
    return np.take_along_axis(before, back, -1), np.take_along_axis(through, back, -1)


def held_by_pairs(types: int) -> Ints:
    """Rows are the pairs of types: how many of each type they hold."""
    pairs = pair_types(types)
    each = np.eye(types, dtype=np.int64)
    return each[pairs.low] + each[pairs.high]
