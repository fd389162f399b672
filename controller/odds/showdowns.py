"""The showdowns of hold'em: every board against all that the dealer may hold, by ranks first, and by suits
where they matter.

Without a flush only ranks count, and 91 pairs of ranks stand for all pairs of cards: 91 boards (turn and
river), and on each the dealer's 91 pairs. All of them are the lanes of one integer: in how many ways each can
be met, and which are weaker than a player. Boards on which a suit can make a flush are gone through again
(``flush_boards``): the dealers who make one are taken out, and so are the boards on which a player does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb
from operator import itemgetter

from controller.odds.flush_boards import LEAST, LEAST_FLUSH, LEAST_STRAIGHT_FLUSH, FlushBoards, Suit, bits_of
from controller.odds.keys import SUIT_OF
from controller.odds.lanes import Lanes, joined, repeated, side_by_side
from controller.odds.rank_pairs import (
    PAIRS,
    RANKS,
    WIDTH,
    PairWays,
    RankGroups,
    count_by_rank,
    key_of,
    pair_ways,
)
from controller.odds.seven import flushes
from controller.vocabulary.cards import Card

_FOURS = list(combinations_with_replacement(RANKS, 4))
_PLACE: dict[tuple[int, ...], int] = {four: place for place, four in enumerate(_FOURS)}
_BY_PAIR, _BY_FOUR = RankGroups(PAIRS), RankGroups(_FOURS)
_MEETINGS: Callable[[Sequence[int]], tuple[int, ...]] = itemgetter(
    *(_PLACE[tuple(sorted((*board, *dealer)))] for board in PAIRS for dealer in PAIRS)
)
"""Of a list by fours: what it has for each board and, on it, for each of the dealer's pairs."""
_ALL = Lanes(WIDTH * WIDTH)


def showdowns(
    holes: Sequence[Sequence[Card]], flop: Sequence[Card], unseen: Sequence[Card]
) -> list[tuple[int, int, int]]:
    """Wins, ties and losses of each hand: hole cards, flop, unseen cards."""
    boards = _Boards(flop, unseen)
    total = comb(len(unseen), 2) * comb(len(unseen) - 2, 2)
    counted = [_counted(boards, hole) for hole in holes]
    return [(won, not_lost - won, total - not_lost) for won, not_lost in counted]


def _counted(boards: _Boards, hole: Sequence[Card]) -> tuple[int, int]:
    """In how many ways a hand wins, and in how many it does not lose."""
    by_rank = _BY_PAIR.strengths(boards.key + key_of(hole))
    # A full house or better of the hand meets flushes of the dealer: none is equal.
    won = not_lost = sum(
        [common for strength, common in zip(by_rank, boards.common, strict=True) if strength > LEAST_FLUSH]
    )
    # A flush of the hand meets them, and dealers without one ...
    met, met_by_best = [0] * WIDTH, [0] * WIDTH
    for group, strength in boards.flushes(hole):
        won += group.ways * group.weaker(strength)
        not_lost += group.ways * group.weaker(strength + 1)
        into = met if strength < LEAST_STRAIGHT_FLUSH else met_by_best
        for number, ways, flushing in group.boards:
            into[number] += ways * (boards.dealers[number] - flushing)
    without = boards.without_flush
    if any(met) or any(met_by_best):
        of_flush, of_best = joined(met, WIDTH), joined(met_by_best, WIDTH)
        beaten = _ALL.total(of_flush & boards.below_flush) + _ALL.total(of_best)
        won += beaten
        not_lost += beaten
        without -= of_flush + of_best
    # ... and where neither has a flush.
    ours = repeated(by_rank, WIDTH)
    won += _ALL.total(without & _ALL.less(boards.strengths, ours))
    not_lost += _ALL.total(without & _ALL.less(boards.strengths, ours + _ALL.ones))
    return won, not_lost


class _Boards:
    """Every board by its ranks, and what the dealer may hold on it."""

    def __init__(self, flop: Sequence[Card], unseen: Sequence[Card]) -> None:
        self.key = key_of(flop)
        left = count_by_rank(unseen)
        ways = PairWays(left)
        boards = pair_ways(left)
        self.dealers = [ways.after(pair) if there else 0 for pair, there in zip(PAIRS, boards, strict=True)]
        """On each board, as lanes: the ways of each of the dealer's pairs."""
        self.strengths = side_by_side(_MEETINGS(_BY_FOUR.strengths(self.key)))
        """On each board, of each of the dealer's pairs by ranks."""
        suits = [Suit(suit, flop, unseen) for suit in sorted({SUIT_OF[card] for card in flop})]
        self._suited = [(suit, list(suit.boards(self.dealers))) for suit in suits]
        each = [there * dealers for there, dealers in zip(boards, self.dealers, strict=True)]
        self.common = [0] * WIDTH
        """By board: the ways in which the dealer makes a flush there that is no straight flush."""
        for _, groups in self._suited:
            for group in groups:
                for number, there, flushing in group.boards:
                    each[number] -= there * flushing
                    self.common[number] += there * group.common
        self.without_flush = joined(each, WIDTH)
        """The ways to meet each of the dealer's pairs on each board where it makes no flush."""

    def flushes(self, hole: Sequence[Card]) -> Iterator[tuple[FlushBoards, int]]:
        """The boards on which a hand makes a flush, and its strength."""
        for suit, groups in self._suited:
            own = bits_of(hole, suit.number)
            if (own | suit.flop_bits).bit_count() >= LEAST:
                for group in groups:
                    if strength := flushes[group.bits | own]:
                        yield group, strength

    @cached_property
    def below_flush(self) -> int:
        """The dealers without a full house or better."""
        return _ALL.less(self.strengths, LEAST_FLUSH * _ALL.ones)
