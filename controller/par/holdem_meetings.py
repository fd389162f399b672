"""Final hands of hold'em and the dealer's: how often each category meets each group of them, weaker, equal or
stronger."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.games import poker
from controller.par.card_sets import Ints
from controller.par.holdem_boards import BATCH, DEALERS, PlainBoards, SuitedBoards, dealers_below
from controller.par.holdem_reached import FLOPS, FirstFives

VERSUS = ("better", "tie", "worse")
BETTER, TIE, WORSE = range(len(VERSUS))

Floats = npt.NDArray[np.float64]
"""Floating point is exact here: all sums are whole and below 2^53."""


class Dealers(NamedTuple):
    """Dealer hands from one strength up to the next that are alike to the spots."""

    start: int
    category: str
    last: str
    """The category of the strongest of them; the weakest has ``category``."""
    qualifies: bool

    @property
    def categories(self) -> tuple[int, int]:
        """The places of both."""
        return poker.CATEGORIES.index(self.category), poker.CATEGORIES.index(self.last)


class Meetings:
    """Counts meetings on the boards of a felt; ``versus``: whether it matters who is better, else all are
    counted as better."""

    def __init__(self, plain: PlainBoards, groups: Sequence[Dealers], *, versus: bool) -> None:
        self._strengths = plain.strengths
        self._starts = [plain.strengths.least(group.start) for group in groups[1:]]
        self._groups = groups
        self._versus = versus

    def count(self, boards: PlainBoards | SuitedBoards, ways: Ints, fives: FirstFives | None) -> Floats:
        """From the ways of each hand on each board: kind of first fives x category x ``VERSUS`` x group.

        A hand on a board counts for each flop that the board can have had; without ``fives`` once.
        """
        left = boards.boards.left
        found = np.zeros((fives.count if fives else 1, len(poker.CATEGORIES), len(VERSUS), len(self._groups)))
        for start in range(0, len(left), BATCH):
            places = slice(start, start + BATCH)
            held = boards.held(places)
            met = boards.met
            weaker, up_to = (each[places].astype(np.int64) for each in (met.weaker, met.up_to))
            below = dealers_below(held, left[places], self._starts)
            category = self._strengths.categories[held].ravel()
            order = np.argsort(category.astype(np.int8), kind="stable")
            ends = np.searchsorted(category[order], np.arange(len(poker.CATEGORIES) + 1))
            of_hands = ways[places].ravel().astype(np.float64)
            had = fives.had(boards, places).reshape(FLOPS, -1).astype(np.int16) if fives else None
            edges = [np.zeros_like(weaker), *below, np.full_like(weaker, DEALERS)]
            columns = np.stack([each.ravel() for each in (weaker, up_to, *edges)])
            for number, (first, end) in enumerate(pairwise(ends)):
                those = order[first:end]
                kinds, dealers = self._compared(number, columns[:, those])
                times = np.ones((1, end - first)) if had is None else _times(had[:, those], len(found))
                versus, group = np.transpose(kinds)
                found[:, number, versus, group] += times @ (of_hands[those] * dealers).T
        return found

    def _compared(self, category: int, columns: Ints) -> tuple[list[tuple[int, int]], Floats]:
        """For hands of a category: places in ``VERSUS`` and of a group, and rows of how many dealers of the
        group are so. ``columns``: weaker, not stronger, below each start of a group.

        Of a dealer in another category than the hand's it is known who is better.
        """
        weaker, up_to, *edges = columns
        kinds: list[tuple[int, int]] = []
        dealers: list[Ints] = []
        for place, (group, (low, high)) in enumerate(zip(self._groups, pairwise(edges), strict=True)):
            least, most = group.categories
            if not self._versus or category > most:
                kinds.append((BETTER, place))
                dealers.append(high - low)
            elif category < least:
                kinds.append((WORSE, place))
                dealers.append(high - low)
            else:
                first, last = np.clip(weaker, low, high), np.clip(up_to, low, high)
                kinds += [(BETTER, place), (TIE, place), (WORSE, place)]
                dealers += [first - low, last - first, high - last]
        return kinds, np.array(dealers, dtype=np.float64)


def _times(had: npt.NDArray[np.int16], count: int) -> Floats:
    """Kinds x hands: after how many of the flops a hand had each kind."""
    return np.array([(had == kind).sum(axis=0, dtype=np.uint8) for kind in range(count)], dtype=np.float64)
