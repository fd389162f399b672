"""Casino Hold'em's Ante and Play under optimal decisions, exactly: every flop, hand, turn, river and dealer.

What a played hand gains is a sum over boards. A board counts as one without suits, plus, for a suit with
three or more cards, the difference that flushes in this suit make. Both terms depend on few things
(``card_sets``), so 27.8 million million showdowns are summed in seconds:

1. what a hand meets on each board, for all hands at once (``holdem_boards``);
2. forward: from boards to what each flop and hole gains when played; it is folded where that gains more;
3. back: how often played hands reach each board, which gives the ways of every ending.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb, lcm
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.games import poker
from controller.games.casino_holdem import ANTE_ROWS, PLAY_TIMES, CasinoHoldem
from controller.par.answer import SpotReturn, ending, returned, tallied
from controller.par.card_sets import SUITED_TYPES, Ints, pair_types, rank_pair_of
from controller.par.holdem_boards import DEALERS, Met, PlainBoards, SuitedBoards
from controller.par.holdem_flops import Flop, Holes, card_of, flops
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import LOSE, NOT_PLACED, SpotOutcome

RUNOUTS = comb(47, 2)
"""Turns and rivers after a hand and a flop."""

SHOWDOWNS = RUNOUTS * DEALERS
"""Of one hand and flop."""

BASIS = "a unit of Ante with the Play bet that optimal decisions make; exact"
"""What the documented 97.84 % is counted on."""

MOST_NET = 10**9
"""A gain in the smallest unit; 1.3 thousand million of them stay below 2^63."""


class Endings(NamedTuple):
    """Of one row of the Ante's pay table, against a dealer who is out, weaker, equal and stronger."""

    ante: tuple[SpotOutcome, ...]
    play: tuple[SpotOutcome, ...]


def endings(game: CasinoHoldem) -> list[Endings]:
    """For each of ``ANTE_ROWS``, from a hand of the row and four dealers."""
    found = []
    for row in ANTE_ROWS:
        category = poker.STRAIGHT if row == "straight_or_lower" else poker.CATEGORIES.index(row)
        hand = poker.pack(category, poker.BIT["A"])
        dealers = (poker.pack(poker.HIGH_CARD), game.least_qualifying, hand, hand + 1)
        ante = tuple(game.ante_bet(hand, dealer) for dealer in dealers)
        found.append(Endings(ante, tuple(game.play_bet(hand, dealer) for dealer in dealers)))
    return found


def nets(rows: list[Endings]) -> tuple[Ints, int]:
    """What a played hand gains: integers, rows x dealers, and how many of them are one Ante."""
    gains = [
        [
            returned(ending(ante)) - 1 + PLAY_TIMES * (returned(ending(play)) - 1)
            for ante, play in zip(row.ante, row.play, strict=True)
        ]
        for row in rows
    ]
    unit = lcm(*(gain.denominator for row in gains for gain in row))
    if max(abs(gain) * unit for row in gains for gain in row) > MOST_NET:
        raise PayTableError(
            "the ratios of ante and play are too fine or too high for an exact count of the Ante"
        )
    return np.array([[int(gain * unit) for gain in row] for row in gains], dtype=np.int64), unit


class OptimalPlay:
    """Decisions for one pay table, and in how many ways its bets then end."""

    def __init__(self, game: CasinoHoldem) -> None:
        self._game = game
        self._endings = endings(game)
        self._net, self._unit = nets(self._endings)
        self._plain, self._suited = felt(game.least_qualifying)
        self._plain_played = np.zeros((len(self._plain.flops), self._plain.met.row.shape[1]), dtype=np.int64)
        self._suited_played = np.zeros(
            (len(self._suited.flops), self._suited.met.row.shape[1]), dtype=np.int64
        )
        self._gained = 0
        self.folded = 0
        """Hands with flops that are folded, of 25,989,600."""
        self.forfeited: Counter[int] = Counter()
        """First fives of folded hands by their strength; counted where a fold forfeits the Bonus."""
        self._plain_gains, self._suited_gains = self._carry_forward()
        for flop in flops():
            self._decide_on(flop)

    def ante_return(self) -> Fraction:
        """What comes back of a unit of Ante, the Play bet included."""
        hands = self.folded + int(self._plain_played.sum())
        net = self._gained - self.folded * SHOWDOWNS * self._unit
        return 1 + Fraction(net, hands * SHOWDOWNS * self._unit)

    def returns(self) -> dict[str, SpotReturn]:
        """Ante and Play; the ways are showdowns."""
        antes, plays = [(LOSE, self.folded * SHOWDOWNS)], [(NOT_PLACED, self.folded * SHOWDOWNS)]
        for row, by_dealer in zip(self._endings, self._reached(), strict=True):
            for ante, play, ways in zip(row.ante, row.play, by_dealer, strict=True):
                antes.append((ante, int(ways)))
                plays.append((play, int(ways)))
        with_play = SpotReturn(tallied(antes).ways, stated=self.ante_return(), basis=BASIS)
        return {"ante": with_play, "play": tallied(plays)}

    def gains(self, flop: Flop, holes: Holes) -> Ints:
        """What each hand gains when played, over all showdowns, in the smallest unit of the pay table."""
        plain, suits = self._places(flop)
        gains: Ints = self._plain_gains[plain, holes.rank_pairs()]
        for suit, place in suits:
            gains = gains + self._suited_gains[place, holes.type_pairs(suit)]
        return gains

    def _carry_forward(self) -> tuple[Ints, Ints]:
        """Gains by flop and hand: without suits, and the difference that one suit makes."""
        by_ranks = self._on_boards(self._plain.met)
        suited = self._on_boards(self._suited.met)
        possible = self._suited.met.possible
        suited -= np.where(possible, by_ranks[self._suited.plain_board][:, rank_pair_of(_TYPES)], 0)
        return _carried_forward(self._plain, by_ranks), _carried_forward(self._suited, suited)

    def _on_boards(self, met: Met) -> Ints:
        """What a played hand gains on each board, over all dealers."""
        total = np.zeros(met.row.shape, dtype=np.int64)
        for dealer, counts in enumerate(met.dealers):
            total += self._net[:, dealer][met.row] * counts
        return total

    def _places(self, flop: Flop) -> tuple[int, list[tuple[int, int]]]:
        """The number of the flop without suits, and for each suit on it the suit and its number."""
        suits = sorted({suit for _, suit in flop.cards})
        numbers = [(suit, int(self._suited.flops.number(*flop.by_suit(suit)))) for suit in suits]
        return int(self._plain.flops.number(flop.ranks)), numbers

    def _decide_on(self, flop: Flop) -> None:
        """Play what gains more than the lost Ante; note how often each kind of hand is played."""
        holes = Holes(flop)
        gains = self.gains(flop, holes)
        played = gains > -SHOWDOWNS * self._unit
        plain, suits = self._places(flop)
        np.add.at(self._plain_played[plain], holes.rank_pairs(), flop.alike * played)
        for suit, place in suits:
            np.add.at(self._suited_played[place], holes.type_pairs(suit), flop.alike * played)
        self._gained += flop.alike * int(gains[played].sum())
        self.folded += flop.alike * int((~played).sum())
        if self._game.fold_forfeits_bonus:
            self._forfeit(flop, holes, played)

    def _forfeit(self, flop: Flop, holes: Holes, played: npt.NDArray[np.bool_]) -> None:
        board = [card_of(place) for place in flop.cards]
        for hand in np.flatnonzero(~played):
            self.forfeited[poker.strength([*board, *holes.cards(int(hand))])] += flop.alike

    def _reached(self) -> Ints:
        """Showdowns of played hands: rows of the Ante's pay table x dealers."""
        plain = _carried_back(self._plain, self._plain_played)
        suited = _carried_back(self._suited, self._suited_played)
        # A board with a suit was counted among the plain ones: take it off there, count it as it is.
        plain -= on_plain_boards(self._suited, suited)
        return _by_ending(self._plain.met, plain) + _by_ending(self._suited.met, suited)


_TYPES = pair_types(SUITED_TYPES)


@cache
def felt(least_qualifying: int) -> tuple[PlainBoards, SuitedBoards]:
    """The same for every pay table; most of the time of a first count goes here. ``least_qualifying`` is the
    strength from which on the dealer qualifies."""
    plain = PlainBoards(least_qualifying)
    return plain, SuitedBoards(plain)


def _carried_forward(boards: PlainBoards | SuitedBoards, gains: Ints) -> Ints:
    """From gains by board and hand to sums by flop and hand."""
    sums = np.zeros((len(boards.flops), gains.shape[1]), dtype=np.int64)
    for run in boards.runs():
        sums[run.flop] = np.einsum("bh,bh->h", run.ways, gains[run.boards])
    return sums


def _carried_back(boards: PlainBoards | SuitedBoards, played: Ints) -> Ints:
    """From times by flop and hand to times by board and hand."""
    times: Ints = np.zeros(boards.met.row.shape, dtype=np.int64)
    for run in boards.runs():
        times[run.boards] += run.ways * played[run.flop]
    return times


def on_plain_boards(suited: SuitedBoards, times: Ints) -> Ints:
    """Times by board and hand, of boards with a suit, added up by the ranks of both."""
    order = np.argsort(suited.plain_board, kind="stable")
    boards, first = np.unique(suited.plain_board[order], return_index=True)
    pairs = np.argsort(suited.rank_pairs, kind="stable")
    of_boards = np.add.reduceat(times[order], first, axis=0)[:, pairs]
    starts = np.searchsorted(suited.rank_pairs[pairs], np.arange(suited.rank_pairs.max() + 1))
    sums: Ints = np.zeros((suited.plain_boards, len(starts)), dtype=times.dtype)
    sums[boards] = np.add.reduceat(of_boards, starts, axis=1)
    return sums


def _by_ending(met: Met, times: Ints) -> Ints:
    """Times x dealers, by row of the pay table."""
    rows = range(int(met.row.max()) + 1)
    return np.array(
        [
            [int((times[met.row == row] * counts[met.row == row]).sum()) for counts in met.dealers]
            for row in rows
        ]
    )
