"""Two Cards High: the main wager over all pairs of hands, the side wager over all hands.

A main wager depends on ranks only: 658,008 x 324,632 deals are counted as 1,992 x 1,992 choices of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np
import numpy.typing as npt

from controller.games.two_cards_high import POINTS, Standing, TwoCardsHigh, best_standing, side_row
from controller.par.answer import SpotReturn, SpotTally
from controller.par.five_cards import hands_with_ways, rank_sets

COPIES = 4
"""Of each rank in the deck."""

DEALT = [[comb(COPIES, mine) * comb(COPIES - mine, others) for others in range(5)] for mine in range(5)]
"""Ways to deal so many cards of a rank to the player and so many to the dealer."""

_ROWS = 128


def returns(game: TwoCardsHigh) -> dict[str, SpotReturn]:
    """Every spot; the seats are alike."""
    tally = SpotTally()
    for player, dealer, ways in standings_with_ways():
        tally.add("main", game.main_bet(player, dealer), ways)
    for hand, ways in hands_with_ways(tuple(POINTS)):
        tally.add("side", game.side_bet(side_row(hand)), ways)
    counted = tally.returns()
    return {spot: counted[spot.split(".")[1]] for spot in game.spots()}


def standings_with_ways() -> list[tuple[Standing | None, Standing | None, int]]:
    """Standing of player and dealer, and in how many of all deals they meet."""
    chosen = list(rank_sets(tuple(POINTS), 5))
    worth = [best_standing([POINTS[rank] for rank in ranks]) for ranks in chosen]
    kinds: list[Standing | None] = [None, *sorted({one for one in worth if one is not None})]
    kind = np.array([kinds.index(one) for one in worth])
    by_kind = _counts_by_kind(_copies(chosen), kind, len(kinds))
    return [
        (player, dealer, int(by_kind[mine, theirs]))
        for mine, player in enumerate(kinds)
        for theirs, dealer in enumerate(kinds)
        if by_kind[mine, theirs]
    ]


def _copies(chosen: Sequence[Sequence[str]]) -> npt.NDArray[np.intp]:
    """Rows of ten: copies of each rank in a choice."""
    return np.array([[ranks.count(rank) for rank in POINTS] for ranks in chosen])


def _counts_by_kind(
    copies: npt.NDArray[np.intp], kind: npt.NDArray[np.intp], kinds: int
) -> npt.NDArray[np.int64]:
    """Deals by kind of the player's and of the dealer's hand; every number stays far below 2^63."""
    dealt = np.array(DEALT, dtype=np.int64)
    counts = np.zeros((kinds, kinds), dtype=np.int64)
    dealers = np.zeros((len(kind), kinds), dtype=np.int64)
    dealers[np.arange(len(kind)), kind] = 1
    for start in range(0, len(kind), _ROWS):
        rows = slice(start, start + _ROWS)
        ways = np.ones((len(kind[rows]), len(kind)), dtype=np.int64)
        for rank in range(copies.shape[1]):
            ways *= dealt[copies[rows, rank]][:, copies[:, rank]]
        np.add.at(counts, kind[rows], ways @ dealers)
    return counts
