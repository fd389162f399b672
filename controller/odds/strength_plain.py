"""The showdowns of hold'em without numpy, by ranks first and by suits where they matter.

The dealer's seven cards are the flop, the turn, the river and two more. Without a flush only ranks count,
and the 91 pairs of ranks stand for all 1,081 pairs of cards: each pair of ranks on the board meets each
pair of ranks at the dealer's, with the number of ways to hold them. That counts every showdown as if there
were no flushes.

A flush needs three cards of its suit on the board, so there is one suit for each board where it can happen.
Those boards are gone through again, and what the first count made of the showdowns with a flush is replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, combinations, combinations_with_replacement
from math import comb
from typing import NamedTuple

from controller.odds.keys import HIGH_SHIFT, LOW_FIELD, RANK_OF, RANKS_UP, SUIT_OF, rank_key
from controller.odds.seven import columns, flushes, rank_strength, rows, strengths
from controller.vocabulary.cards import SUITS, Card

_RANKS = range(len(RANKS_UP))
_KEYS = [rank_key(rank) for rank in _RANKS]
_RANK_PAIRS = [(one, two, _KEYS[one] + _KEYS[two]) for one, two in combinations_with_replacement(_RANKS, 2)]


_BITS = [1 << rank for rank in _RANKS]

_Draw = tuple[int, int, tuple[int, ...], tuple[int, ...], int]
"""Two cards by rank, told apart only by one suit: what they add to a key; ranks of the suit as bits, the
deuce lowest; ranks of the suit; ranks of other suits; ways to have them."""


class _Field(NamedTuple):
    """How strong the dealer can be on one board if nothing is a flush: strengths upwards, and how many ways
    are below each and in all."""

    strengths: list[int]
    below: list[int]

    def against(self, strength: int) -> tuple[int, int]:
        """Ways in which the dealer is weaker, and in which he is as strong."""
        place = bisect_left(self.strengths, strength)
        weaker = self.below[place]
        if place < len(self.strengths) and self.strengths[place] == strength:
            return weaker, self.below[place + 1] - weaker
        return weaker, 0


def showdowns(
    holes: Sequence[Sequence[Card]], flop: Sequence[Card], unseen: Sequence[Card]
) -> list[tuple[int, int, int]]:
    """Wins, ties and losses of each hand; see :data:`controller.odds.casino_holdem.CompareHands`."""
    count = _Count(holes, flop, unseen)
    count.by_ranks()
    for suit in range(len(SUITS)):
        count.correct_flushes(suit)
    total = comb(len(unseen), 2) * comb(len(unseen) - 2, 2)
    return [(won, tied, total - won - tied) for won, tied in zip(count.won, count.tied, strict=True)]


class _Count:
    """The tallies while they are counted."""

    def __init__(self, holes: Sequence[Sequence[Card]], flop: Sequence[Card], unseen: Sequence[Card]) -> None:
        self._holes = holes
        self._flop = flop
        self._unseen = unseen
        self._shown = _key_of(flop)
        self._keys = [self._shown + _key_of(hole) for hole in holes]
        self._left = [sum(RANK_OF[card] == rank for card in unseen) for rank in _RANKS]
        self._fields: dict[tuple[int, ...], _Field] = {}
        self.won = [0] * len(holes)
        self.tied = [0] * len(holes)

    def by_ranks(self) -> None:
        """Count every showdown as if there were no flushes."""
        for board, _, _, ranks, ways in _draws((), self._left, 0):
            field = self._fields[ranks] = _field(self._shown + board, _without(self._left, ranks))
            for place, key in enumerate(self._keys):
                weaker, equal = field.against(rank_strength(key + board))
                self.won[place] += ways * weaker
                self.tied[place] += ways * equal

    def correct_flushes(self, suit: int) -> None:
        """Replace what :meth:`by_ranks` made of the boards with three cards of a suit."""
        flop_bits = _bits_of(self._flop, suit)
        if not flop_bits:
            return
        hole_bits = [_bits_of(hole, suit) for hole in self._holes]
        suited = [RANK_OF[card] for card in self._unseen if SUIT_OF[card] == suit]
        off = _without(self._left, suited)
        for board, bits, of_suit, others, ways in _draws(suited, off, 3 - flop_bits.bit_count()):
            board_bits = flop_bits | bits
            field = self._fields[tuple(sorted(of_suit + others))]
            rest = [rank for rank in suited if rank not in of_suit]
            draws = _draws(rest, _without(off, others), 5 - board_bits.bit_count())
            dealer = _dealer_flushes(self._shown + board, board_bits, draws)
            for place, (key, own_bits) in enumerate(zip(self._keys, hole_bits, strict=True)):
                by_rank = rank_strength(key + board)
                all_bits = board_bits | own_bits
                player = flushes[all_bits] if all_bits.bit_count() >= 5 else by_rank
                won, tied = _more(player, by_rank, field, dealer)
                self.won[place] += ways * won
                self.tied[place] += ways * tied


def _more(
    player: int, player_by_rank: int, field: _Field, dealer: Sequence[tuple[int, int, int]]
) -> tuple[int, int]:
    """Wins and ties that the flushes of player and dealer add on one board, or take away."""
    won = tied = 0
    if player != player_by_rank:
        was, now = field.against(player_by_rank), field.against(player)
        won, tied = now[0] - was[0], now[1] - was[1]
    won += sum(ways * ((flush < player) - (by_rank < player)) for flush, by_rank, ways in dealer)
    tied += sum(ways * ((flush == player) - (by_rank == player)) for flush, by_rank, ways in dealer)
    return won, tied


def _field(base: int, left: Sequence[int]) -> _Field:
    """The dealer's strengths when flop and board have the key ``base`` and ``left`` cards of each rank are
    there."""
    ways_to: dict[int, int] = {}
    for one, two, key in _RANK_PAIRS:
        ways = left[one] * left[two] if one != two else comb(left[one], 2)
        if ways:
            key += base
            strength = strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]
            ways_to[strength] = ways_to.get(strength, 0) + ways
    order = sorted(ways_to)
    return _Field(order, list(accumulate((ways_to[strength] for strength in order), initial=0)))


def _dealer_flushes(base: int, bits: int, draws: Iterable[_Draw]) -> list[tuple[int, int, int]]:
    """The dealer's flushes on one board: the strength, what it would be by ranks alone, and the ways to
    have it."""
    dealer = []
    for key, suited, _, _, ways in draws:
        key += base
        by_rank = strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]
        dealer.append((flushes[bits | suited], by_rank, ways))
    return dealer


def _draws(suited: Sequence[int], off: Sequence[int], least: int) -> Iterator[_Draw]:
    """Every pair of cards with at least ``least`` of the suit, from its ranks and the count of others by
    rank."""
    for one, two in combinations(suited, 2):
        yield _KEYS[one] + _KEYS[two], _BITS[one] | _BITS[two], (one, two), (), 1
    if least <= 1:
        there = [(two, ways) for two, ways in enumerate(off) if ways]
        for one in suited:
            for two, ways in there:
                yield _KEYS[one] + _KEYS[two], _BITS[one], (one,), (two,), ways
    if least <= 0:
        for one, two, key in _RANK_PAIRS:
            ways = off[one] * off[two] if one != two else comb(off[one], 2)
            if ways:
                yield key, 0, (), (one, two), ways


def _without(counts: Sequence[int], ranks: Sequence[int]) -> list[int]:
    """Counts by rank after these are taken."""
    return [count - ranks.count(rank) for rank, count in enumerate(counts)]


def _key_of(cards: Sequence[Card]) -> int:
    """What the ranks of cards add to a key."""
    return sum(_KEYS[RANK_OF[card]] for card in cards)


def _bits_of(cards: Sequence[Card], suit: int) -> int:
    """The ranks of the cards of a suit as bits, the deuce lowest."""
    return sum(_BITS[RANK_OF[card]] for card in cards if SUIT_OF[card] == suit)
