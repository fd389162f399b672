"""The boards of hold'em on which a suit can make a flush, and the dealer's flushes there.

A flush needs three cards of its suit on the board, so there is one suit for each such board. Boards with the
same cards of the suit go together: a player's flush is the same on all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import NamedTuple

from controller.odds.keys import RANK_OF, SUIT_OF
from controller.odds.rank_pairs import NUMBER, PAIRS, RANKS, PairWays, count_by_rank, key_of, pair_ways
from controller.odds.seven import flushes, rank_strength
from controller.vocabulary.cards import SUITS, Card

LEAST = 3
"""Cards of a suit on a board that can make a flush."""
LEAST_FLUSH = min(filter(None, flushes))
LEAST_STRAIGHT_FLUSH = 1 + rank_strength(key_of([*(Card("A" + suit) for suit in SUITS), *[Card("KS")] * 3]))
"""Only that beats four aces and a king. A full house, or four of a kind, beats every other flush."""

_BITS = [1 << rank for rank in RANKS]

Board = tuple[int, int, int]
"""The number of the pair of ranks that comes to the flop; the ways to have this board; as lanes, those of the
dealer's pairs that make a flush on it."""


class FlushBoards(NamedTuple):
    """The boards with the same three cards or more of a suit."""

    suit: Suit
    bits: int
    """The ranks of these cards."""
    boards: list[Board]
    common: int
    """In how many ways the dealer makes a flush on such a board that is no straight flush."""

    @property
    def ways(self) -> int:
        """To have one of them."""
        return sum([ways for _, ways, _ in self.boards])

    def weaker(self, strength: int) -> int:
        """In how many ways the dealer makes a flush on such a board that is weaker than this."""
        return sum([ways * bisect_left(made, strength) for made, ways in self.suit.flushes(self.bits)])


class Suit:
    """A suit of the flop: its boards, and the flushes of a dealer who holds two of the unseen cards."""

    def __init__(self, number: int, flop: Sequence[Card], unseen: Sequence[Card]) -> None:
        self.number = number
        self.flop_bits = bits_of(flop, number)
        self.unseen_bits = bits_of(unseen, number)
        self._suited = [rank for rank in RANKS if self.unseen_bits & _BITS[rank]]
        self._off = count_by_rank([card for card in unseen if SUIT_OF[card] != number])
        self._others = sum(self._off)
        self._flushes: dict[int, list[tuple[list[int], int]]] = {}

    def boards(self, dealers: Sequence[int]) -> Iterator[FlushBoards]:
        """Those with three cards or more of the suit; ``dealers``: by the number of a board, lanes with the
        ways of all the dealer's pairs."""
        both = PairWays([self.unseen_bits >> rank & 1 for rank in RANKS])
        for count in range(2, -1, -1):
            suited = self.flop_bits.bit_count() + count
            if suited < LEAST:
                return
            draws = self._draws(2 - count)
            neither = PairWays(self._off) if suited == LEAST + 1 else None
            left, off = len(self._suited) - count, self._others - (2 - count)
            made = comb(left, 2) + (suited > LEAST) * left * off + (suited > LEAST + 1) * comb(off, 2)
            for of_suit in combinations(self._suited, count):
                of_two = both.after(of_suit)
                boards = []
                for others, ways in draws:
                    one, two = of_suit + others
                    number = NUMBER[one][two]
                    flushing = of_two if suited == LEAST else dealers[number]
                    if neither is not None:
                        flushing -= neither.after(others)
                    boards.append((number, ways, flushing))
                bits = self.flop_bits | sum([_BITS[rank] for rank in of_suit])
                yield FlushBoards(self, bits, boards, made - self._straight_flushes(bits, left, off))

    def _draws(self, count: int) -> list[tuple[tuple[int, ...], int]]:
        """So many cards of other suits: their ranks, and the ways."""
        if count == 0:
            return [((), 1)]
        if count == 1:
            return [((rank,), ways) for rank, ways in enumerate(self._off) if ways]
        return [(pair, ways) for pair, ways in zip(PAIRS, pair_ways(self._off), strict=True) if ways]

    def _straight_flushes(self, bits: int, left: int, off: int) -> int:
        """In how many ways the dealer completes a straight of the suit on a board with these ranks of it, out
        of so many other cards of the suit and cards off it."""
        one, two = _missing(bits)
        if one is None:
            return comb(left + off, 2)
        made = sum([pair & self.unseen_bits == pair for pair in two]) if two else 0
        if one:
            singles = (one & self.unseen_bits).bit_count()
            made += comb(left, 2) - comb(left - singles, 2) + singles * off
        return made

    def flushes(self, bits: int) -> list[tuple[list[int], int]]:
        """These flushes: strengths in order, and the ways to each."""
        if bits not in self._flushes:
            rest = [_BITS[rank] for rank in self._suited if not bits & _BITS[rank]]
            off = self._others - 2 + (bits & ~self.flop_bits).bit_count()
            made = [(sorted([flushes[bits | one | two] for one, two in combinations(rest, 2)]), 1)]
            if bits.bit_count() > LEAST:
                made.append((sorted([flushes[bits | one] for one in rest]), off))
            if bits.bit_count() > LEAST + 1:
                made.append(([flushes[bits]], comb(off, 2)))
            self._flushes[bits] = made
        return self._flushes[bits]


_FIVES = [sum(_BITS[rank] for rank in five) for five in combinations(RANKS, 5)]
_STRAIGHTS = [bits for bits in _FIVES if flushes[bits] >= LEAST_STRAIGHT_FLUSH]


@cache
def _missing(bits: int) -> tuple[int | None, list[int]]:
    """The ranks each of which alone completes a straight, None where there is one; and pairs of other ranks
    that do."""
    missing = {straight & ~bits for straight in _STRAIGHTS}
    if 0 in missing:
        return None, []
    singles = sum(ranks for ranks in missing if ranks.bit_count() == 1)
    return singles, [ranks for ranks in missing if ranks.bit_count() == 2 and not ranks & singles]


def bits_of(cards: Sequence[Card], suit: int) -> int:
    """The ranks of the cards of a suit as bits, the deuce lowest."""
    return sum(_BITS[RANK_OF[card]] for card in cards if SUIT_OF[card] == suit)
