"""The strengths of ``controller.games.poker`` as arrays: seven cards by ranks alone, or by a flush."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from controller.games import poker
from controller.games.casino_holdem import ANTE_ROWS, ante_row
from controller.odds.keys import RANKS_UP
from controller.par.card_sets import RANKS, SUIT, SUITED_TYPES, Indices, RankSets, SuitedSets, pair_types
from controller.vocabulary.cards import Card

Strengths = npt.NDArray[np.int16]


class HoldemStrengths:
    """Strengths numbered from 0 in their own order; -1 is weaker than all and means that there is none."""

    def __init__(self, boards: RankSets, least_qualifying: int) -> None:
        pairs = pair_types(RANKS)
        with_pair = boards.counts[:, None, :] + _one_each(pairs.low) + _one_each(pairs.high)
        possible = (with_pair <= SUIT).all(axis=2)
        keys = with_pair @ (5 ** np.arange(RANKS, dtype=np.int64))
        seven, back = np.unique(keys[possible], return_inverse=True)
        plain = [of_counts([int(key) // 5**rank % 5 for rank in range(RANKS)]) for key in seven]
        flushes = {mask: of_flush(mask) for mask in range(1 << RANKS) if mask.bit_count() in (5, 6, 7)}
        self._known = np.unique(np.array([*plain, *flushes.values()], dtype=np.int64))
        by_ranks = np.full(keys.shape, -1, dtype=np.int16)
        by_ranks[possible] = self._numbers(plain)[back]
        self.by_ranks: Strengths = by_ranks
        """Board of ``boards`` and pair of ranks -> strength, no flush."""
        self._flush = np.full(1 << RANKS, -1, dtype=np.int16)
        self._flush[list(flushes)] = self._numbers(flushes.values())
        self.qualifies = self.least(least_qualifying)
        self.count = len(self._known)
        self.categories = self._known >> poker.CATEGORY_SHIFT
        """Strength -> place of its category in ``poker.CATEGORIES``."""
        rows = [ANTE_ROWS.index(ante_row(int(one))) for one in self._known]
        self.rows: npt.NDArray[np.int8] = np.array(rows, dtype=np.int8)
        """Strength -> place in ``ANTE_ROWS``."""

    def on_boards(self, boards: SuitedSets, places: slice, ranks: Indices, rank_pairs: Indices) -> Strengths:
        """Strength for boards with a suit (rows; ``ranks`` their rank sets) and pairs of the 26 types."""
        pairs = pair_types(SUITED_TYPES)
        held = _suited_bit(pairs.low) | _suited_bit(pairs.high)
        flush = self._flush[boards.masks[places, None] | held]
        best: Strengths = np.maximum(self.by_ranks[ranks[places, None], rank_pairs], flush)
        return best

    def least(self, strength: int) -> int:
        """The number from which on a strength is at least this one."""
        return int(np.searchsorted(self._known, strength))

    def _numbers(self, strengths: Iterable[int]) -> Strengths:
        return np.searchsorted(self._known, np.fromiter(strengths, dtype=np.int64)).astype(np.int16)


def _one_each(ranks: Indices) -> npt.NDArray[np.int64]:
    each: npt.NDArray[np.int64] = (ranks[:, None] == np.arange(RANKS)).astype(np.int64)
    return each


def _suited_bit(types: Indices) -> npt.NDArray[np.int64]:
    return np.where(types < RANKS, np.int64(1) << types % RANKS, 0)


def of_counts(counts: list[int]) -> int:
    """The strength of cards without a flush, from how many there are of each rank."""
    held = [
        sum(1 << rank for rank, count in enumerate(counts) if count >= least) for least in range(1, SUIT + 1)
    ]
    return poker.rank_strength(*held)


def of_flush(mask: int) -> int:
    """The strength of five to seven cards of one suit."""
    return poker.strength([Card(rank + "S") for place, rank in enumerate(RANKS_UP) if mask >> place & 1])
