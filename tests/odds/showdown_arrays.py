"""The showdowns of hold'em another way: card by card, with numpy.

With the flop given the dealer's strength depends only on which four cards are turn, river and his own two,
not on which of them are which. So each set of four unseen cards is evaluated once, and each of the six ways
to put two of them on the board compares it with what the player makes of that board.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from controller.odds import seven
from controller.odds.keys import HIGH_SHIFT, KEYS, LOW_FIELD, RANK_BITS, RANKS_UP, SUIT_SHIFT
from controller.vocabulary.cards import SUITS, Card

Integers = npt.NDArray[np.int64]
Strengths = npt.NDArray[np.uint16]
Places = npt.NDArray[np.int16]

_ROWS = np.array(seven.rows, dtype=np.uint16)
_COLUMNS = np.array(seven.columns, dtype=np.uint16)
_STRENGTHS = np.array(seven.strengths, dtype=np.uint16)
_FLUSHES = np.array(seven.flushes, dtype=np.uint16)


def showdowns(
    holes: Sequence[Sequence[Card]], flop: Sequence[Card], unseen: Sequence[Card]
) -> list[tuple[int, int, int]]:
    """Wins, ties and losses of each hand; hole cards, flop, unseen cards."""
    pairs = list(combinations(unseen, 2))
    keys = np.array([KEYS[one] + KEYS[two] for one, two in pairs], dtype=np.int64)
    bits = np.array([RANK_BITS[one] + RANK_BITS[two] for one, two in pairs], dtype=np.int64)
    flop_key, flop_bits = _sum(flop)
    splits = _splits(len(unseen))
    low, high = splits[0], splits[-1]
    dealer = strengths_of(
        keys.take(low) + keys.take(high) + flop_key, bits.take(low) + bits.take(high) + flop_bits
    )
    tallies = []
    for hole in holes:
        own_key, own_bits = _sum([*flop, *hole])
        made = strengths_of(keys + own_key, bits + own_bits)
        won = tied = 0
        for board in splits:
            player = made.take(board)
            won += int(np.count_nonzero(player > dealer))
            tied += int(np.count_nonzero(player == dealer))
        tallies.append((won, tied, len(splits) * dealer.size - won - tied))
    return tallies


def strengths_of(keys: Integers, bits: Integers) -> Strengths:
    """The strengths of hands of seven from the sums of their ``KEYS`` and of their ``RANK_BITS``."""
    made = _STRENGTHS.take(_ROWS.take(keys & LOW_FIELD) + _COLUMNS.take(keys >> HIGH_SHIFT))
    for suit in range(len(SUITS)):
        flush = np.flatnonzero(keys & (32 << SUIT_SHIFT + 6 * suit))
        made[flush] = _FLUSHES.take(bits.take(flush) >> len(RANKS_UP) * suit & 8191)
    return made


def _sum(cards: Sequence[Card]) -> tuple[int, int]:
    """What cards add to a key, and their bits."""
    return sum(KEYS[card] for card in cards), sum(RANK_BITS[card] for card in cards)


@lru_cache(maxsize=2)
def _splits(cards: int) -> list[Places]:
    """For every four of so many cards, by the six ways to choose two of them: the number of that pair.

    Pairs are numbered as ``itertools.combinations`` yields them. What the first way leaves is the last way.
    """
    a, b, c, d = np.ogrid[:cards, :cards, :cards, :cards]
    fours = np.nonzero((a < b) & (b < c) & (c < d))
    numbers = np.zeros((cards, cards), dtype=np.int16)
    numbers[np.triu_indices(cards, 1)] = np.arange(cards * (cards - 1) // 2)
    return [numbers[fours[one], fours[two]] for one, two in combinations(range(4), 2)]
