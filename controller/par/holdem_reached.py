"""Which first fives each hand of hold'em can have had on each board: one for each flop of the board."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import comb

import numpy as np

from controller.games import poker
from controller.par.card_sets import RANKS, SUIT, SUITED_TYPES, Indices, Ints, pair_types, pair_ways
from controller.par.holdem_boards import PlainBoards, SuitedBoards, held_by_pairs
from controller.par.holdem_play import on_plain_boards
from controller.par.holdem_strengths import of_counts, of_flush

FirstFive = tuple[str, str]
"""Category and leading rank."""

FLOP, BOARD = 3, 5
FLOPS = comb(BOARD, FLOP)
"""How many flops a board can have had."""
_FLOPS = np.array(list(combinations(range(BOARD), FLOP)))
"""The same, as places of its cards."""


def called(strength: int) -> FirstFive:
    """What a first five of this strength is."""
    return poker.category_of(strength), poker.leading_rank(strength)


def dealt(plain: PlainBoards, suited: SuitedBoards) -> tuple[Ints, Ints]:
    """In how many ways each hand lies on each board: without suits, and for one suit. A board with a suit is
    taken off the plain ones."""
    of_suit = SUIT * suited.boards.times[:, None] * pair_ways(suited.boards.left)
    of_ranks = plain.boards.times[:, None] * pair_ways(plain.boards.left)
    return of_ranks - on_plain_boards(suited, of_suit), of_suit


class FirstFives:
    """The kinds of the first fives; ``kinds`` has the place of each, alike ones have the same."""

    def __init__(self, plain: PlainBoards, kinds: Mapping[FirstFive, int]) -> None:
        self.count = max(kinds.values()) + 1
        self._flops = plain.flops
        both = (plain.flops.counts[:, None, :] + held_by_pairs(RANKS)).reshape(-1, RANKS)
        made, place = np.unique(both, axis=0, return_inverse=True)
        by_ranks = [kinds[called(of_counts(one))] if max(one) <= SUIT else 0 for one in made.tolist()]
        self._by_ranks: Indices = np.array(by_ranks, dtype=np.intp)[place].reshape(len(plain.flops), -1)
        self._by_flush: Indices = np.zeros(1 << RANKS, dtype=np.intp)
        for mask in range(1 << RANKS):
            if mask.bit_count() == BOARD:
                self._by_flush[mask] = kinds[called(of_flush(mask))]

    def had(self, boards: PlainBoards | SuitedBoards, places: slice) -> Indices:
        """Flops x boards x hands, of some of the boards. Of what cannot be held it says nothing."""
        flops = boards.boards.cards[places][:, _FLOPS].swapaxes(0, 1)
        ranks = self._flops.number((flops[..., None] % RANKS == np.arange(RANKS)).sum(axis=2))
        if isinstance(boards, PlainBoards):
            plain: Indices = self._by_ranks[ranks]
            return plain
        had: Indices = self._by_ranks[ranks[..., None], boards.rank_pairs]
        pairs = pair_types(SUITED_TYPES)
        hands = np.flatnonzero(pairs.high < RANKS)
        held = 1 << pairs.low[hands] | 1 << pairs.high[hands]
        of_suit = np.nonzero((flops < RANKS).all(axis=2))
        masks = (1 << flops[of_suit]).sum(axis=1)
        had[of_suit[0][:, None], of_suit[1][:, None], hands] = self._by_flush[masks[:, None] | held]
        return had
