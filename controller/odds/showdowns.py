"""The showdowns of hold'em: every board against all that the dealer may hold, by ranks first, and by suits
where they matter.

Without a flush only ranks count, and 91 pairs of ranks stand for all pairs of cards: 91 boards (turn and
river), and on each the dealer's 91 pairs. Those are the bytes of one integer, so that one operation looks at
all of them: in how many ways each can be held, and which are weaker than a player.

A flush needs three cards of its suit on the board, so there is one suit for each board where it can happen.
Those boards are gone through again, and what ranks alone made of them is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, combinations_with_replacement
from math import comb
from operator import add, itemgetter
from struct import Struct
from typing import NamedTuple

from controller.odds.keys import HIGH_SHIFT, LOW_FIELD, RANK_OF, RANKS_UP, SUIT_OF, rank_key
from controller.odds.seven import columns, flushes, rows, strengths
from controller.vocabulary.cards import SUITS, Card

_RANKS = range(len(RANKS_UP))
_KEYS = [rank_key(rank) for rank in _RANKS]
_BITS = [1 << rank for rank in _RANKS]
_PAIRS = list(combinations_with_replacement(_RANKS, 2))
_FOURS = list(combinations_with_replacement(_RANKS, 4))
_WIDTH = len(_PAIRS)
"""How many pairs of ranks there are, and so how many bytes an integer of all of them has."""
_NUMBER = [[_PAIRS.index((min(one, two), max(one, two))) for two in _RANKS] for one in _RANKS]
"""The number of the pair of two ranks."""
_ONE = [[1 << 8 * _NUMBER[one][two] for two in _RANKS] for one in _RANKS]
"""One way to hold two ranks, and no other pair."""
_LEAST_FLUSH = min(filter(None, flushes))


class _Groups:
    """Groups of ranks, and how strong some cards are with each of them."""

    def __init__(self, groups: Sequence[tuple[int, ...]]) -> None:
        keys = [sum(_KEYS[rank] for rank in group) for group in groups]
        self._low, self._of_low = _distinct([key & LOW_FIELD for key in keys])
        self._high, self._of_high = _distinct([key >> HIGH_SHIFT for key in keys])

    def strengths(self, key: int) -> list[int]:
        """By group, of the cards with this key and the group, by ranks alone. Of groups that the deck has not
        any more, which would be five of a rank, it is some number.
        """
        low, high = key & LOW_FIELD, key >> HIGH_SHIFT
        row_of = [rows[low + more] if low + more < len(rows) else 0 for more in self._low]
        column_of = [columns[high + more] if high + more < len(columns) else 0 for more in self._high]
        places = map(add, self._of_low(row_of), self._of_high(column_of))
        return list(map(strengths.__getitem__, places))


def _distinct(numbers: Sequence[int]) -> tuple[list[int], Callable[[Sequence[int]], tuple[int, ...]]]:
    """Each number once, and what gives every one its own out of a list that is as long."""
    each = sorted(set(numbers))
    place = {number: at for at, number in enumerate(each)}
    return each, itemgetter(*(place[number] for number in numbers))


_BY_PAIR, _BY_FOUR = _Groups(_PAIRS), _Groups(_FOURS)
_PLACE: dict[tuple[int, ...], int] = {four: place for place, four in enumerate(_FOURS)}
_MEETINGS: Callable[[Sequence[int]], tuple[int, ...]] = itemgetter(
    *(_PLACE[tuple(sorted((*board, *dealer)))] for board in _PAIRS for dealer in _PAIRS)
)
"""Of a list by fours: what it has for each board and, on it, for each of the dealer's pairs."""
_WORDS = Struct(f"<{_WIDTH * _WIDTH}H")


class _Ways:
    """In how many ways one can hold each pair of ranks, as bytes of an integer."""

    def __init__(self, counts: Sequence[int]) -> None:
        """``counts``: cards by rank."""
        self._all = _bytes(
            counts[one] * counts[two] if one != two else comb(counts[one], 2) for one, two in _PAIRS
        )
        self._with = [
            sum(counts[other] * _ONE[rank][other] for other in _RANKS) - bool(counts[rank]) * _ONE[rank][rank]
            for rank in _RANKS
        ]
        """By rank: the pairs that go with a card of it, each as often as there is a card to go with."""

    def after(self, ranks: Sequence[int]) -> int:
        """The same when a card of each of these ranks, at most two, is taken; the pair of two such cards goes
        only once."""
        ways = self._all
        for rank in ranks:
            ways -= self._with[rank]
        return ways + _ONE[ranks[0]][ranks[1]] if len(ranks) == 2 else ways


def _bytes(numbers: Iterator[int]) -> int:
    return int.from_bytes(bytes(numbers), "little")


_EVEN = int.from_bytes(b"\xff\x00" * (_WIDTH // 2 + 1), "little")


def _sum(ways: int) -> int:
    """The sum of the bytes, below 65,535."""
    return ((ways & _EVEN) + (ways >> 8 & _EVEN)) % 0xFFFF


_CLEAR = bytes(0 if byte & 128 else 255 for byte in range(256))
_SET = bytes(255 if byte & 128 else 0 for byte in range(256))


class _Below(NamedTuple):
    """Two masks over the dealer's pairs on a board: those weaker than a player, those not stronger."""

    weaker: int
    not_stronger: int


def _below(dealers: bytes, players: Sequence[int]) -> list[_Below]:
    """The masks of each board. ``dealers``: strengths on each board, 16 bits each; ``players``: one for each.

    In one subtraction of all: with the top bit of each 16 set nothing is borrowed from the next, and the bit
    stays where the number was not less.
    """
    size = len(dealers)
    top = int.from_bytes(b"\x00\x80" * (size // 2), "little")
    theirs = int.from_bytes(dealers, "little")
    ours = int.from_bytes(b"".join([player.to_bytes(2, "little") * _WIDTH for player in players]), "little")
    weaker = ((theirs | top) - ours).to_bytes(size, "little")[1::2].translate(_CLEAR)
    not_stronger = ((ours | top) - theirs).to_bytes(size, "little")[1::2].translate(_SET)
    return [
        _Below(
            int.from_bytes(weaker[start : start + _WIDTH], "little"),
            int.from_bytes(not_stronger[start : start + _WIDTH], "little"),
        )
        for start in range(0, size // 2, _WIDTH)
    ]


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
    by_rank = _BY_PAIR.strengths(boards.key + _key_of(hole))
    masks = _below(boards.strengths, by_rank)
    won = not_lost = 0
    # Where neither player nor dealer has a flush ...
    for ways, dealers, flushing, mask in zip(
        boards.ways, boards.dealers, boards.flushing, masks, strict=True
    ):
        won += ways * _sum(dealers & mask.weaker) - _sum(flushing & mask.weaker)
        not_lost += ways * _sum(dealers & mask.not_stronger) - _sum(flushing & mask.not_stronger)
    # ... and where one has.
    own = [_bits_of(hole, suit) for suit in range(len(SUITS))]
    for board in boards.suited:
        bits, strength = board.bits | own[board.suit.number], by_rank[board.number]
        if bits.bit_count() >= 5:
            strength, before = flushes[bits], masks[board.number]
            (now,) = _below(boards.row(board.number), [strength])
            others = boards.dealers[board.number] - board.flushing
            won += board.ways * (_sum(others & now.weaker) - _sum(others & before.weaker))
            not_lost += board.ways * (_sum(others & now.not_stronger) - _sum(others & before.not_stronger))
        if strength >= _LEAST_FLUSH:
            won += board.ways * board.weaker(strength)
            not_lost += board.ways * board.weaker(strength + 1)
    return won, not_lost


class _Boards:
    """Every board by its ranks, and what the dealer may hold on it."""

    def __init__(self, flop: Sequence[Card], unseen: Sequence[Card]) -> None:
        self.flop = flop
        self.unseen = unseen
        self.key = _key_of(flop)
        left = [sum(RANK_OF[card] == rank for card in unseen) for rank in _RANKS]
        ways = _Ways(left)
        self.ways = [left[one] * left[two] if one != two else comb(left[one], 2) for one, two in _PAIRS]
        """Of each board."""
        self.dealers = [
            ways.after(pair) if there else 0 for pair, there in zip(_PAIRS, self.ways, strict=True)
        ]
        """On each board: the ways of each of the dealer's pairs."""
        self.strengths = _WORDS.pack(*_MEETINGS(_BY_FOUR.strengths(self.key)))
        """On each board, of each of the dealer's pairs by ranks, 16 bits each."""
        self.suited = [
            board for suit in sorted({SUIT_OF[card] for card in flop}) for board in _Suit(self, suit).boards()
        ]
        """The boards with three cards or more of a suit."""
        self.flushing = [0] * _WIDTH
        """By ranks: in how many ways there is such a board and one of the dealer's pairs makes a flush on it.
        It fits a byte: four ranks can be had in 256 ways at most, and four cards of a suit that the flop has
        not make no flush."""
        for board in self.suited:
            self.flushing[board.number] += board.ways * board.flushing

    def row(self, number: int) -> bytes:
        """The strengths on one board."""
        return self.strengths[2 * _WIDTH * number : 2 * _WIDTH * (number + 1)]


class _SuitedBoard(NamedTuple):
    """A board with three cards or more of a suit."""

    suit: _Suit
    bits: int
    """Their ranks."""
    number: int
    """The board by its ranks."""
    ways: int
    """To have this board."""
    flushing: int
    """The ways of the dealer's pairs that make a flush on it."""

    def weaker(self, strength: int) -> int:
        """In how many ways the dealer makes a flush that is weaker than this."""
        return sum(ways * sum(map(strength.__gt__, made)) for made, ways in self.suit.flushes(self.bits))


class _Suit:
    """A suit of the flop: the boards on which it can make a flush, and the dealer's flushes there."""

    def __init__(self, boards: _Boards, suit: int) -> None:
        self.number = suit
        self._boards = boards
        self._flop_bits = _bits_of(boards.flop, suit)
        self._suited = [RANK_OF[card] for card in boards.unseen if SUIT_OF[card] == suit]
        self._off = [0] * len(_RANKS)
        for card in boards.unseen:
            self._off[RANK_OF[card]] += SUIT_OF[card] != suit
        self._flushes: dict[int, list[tuple[list[int], int]]] = {}

    def boards(self) -> Iterator[_SuitedBoard]:
        """Those with three cards or more of the suit."""
        both, neither = _Ways([int(rank in self._suited) for rank in _RANKS]), _Ways(self._off)
        for count in (2, 1, 0):
            if self._flop_bits.bit_count() + count < 3:
                break
            draws = list(self._draws(2 - count))
            for of_suit in combinations(self._suited, count):
                bits = self._flop_bits | sum([_BITS[rank] for rank in of_suit])
                suited, of_two = bits.bit_count(), both.after(of_suit)
                for others, ways in draws:
                    one, two = of_suit + others
                    number = _NUMBER[one][two]
                    flushing = self._boards.dealers[number]
                    if suited == 3:
                        flushing = of_two
                    elif suited == 4:
                        flushing -= neither.after(others)
                    yield _SuitedBoard(self, bits, number, ways, flushing)

    def _draws(self, count: int) -> Iterator[tuple[tuple[int, ...], int]]:
        """So many cards of other suits: their ranks, and the ways."""
        if count == 0:
            yield (), 1
        elif count == 1:
            yield from (((rank,), ways) for rank, ways in enumerate(self._off) if ways)
        else:
            for one, two in _PAIRS:
                ways = self._off[one] * self._off[two] if one != two else comb(self._off[one], 2)
                if ways:
                    yield (one, two), ways

    def flushes(self, bits: int) -> list[tuple[list[int], int]]:
        """The dealer's flushes where the board has these ranks of the suit: strengths, and ways to each."""
        if bits not in self._flushes:
            rest = [_BITS[rank] for rank in self._suited if not bits & _BITS[rank]]
            off = sum(self._off) - 2 + (bits & ~self._flop_bits).bit_count()
            made = [([flushes[bits | one | two] for one, two in combinations(rest, 2)], 1)]
            if bits.bit_count() >= 4:
                made.append(([flushes[bits | one] for one in rest], off))
            if bits.bit_count() >= 5:
                made.append(([flushes[bits]], comb(off, 2)))
            self._flushes[bits] = made
        return self._flushes[bits]


def _key_of(cards: Sequence[Card]) -> int:
    """What the ranks of cards add to a key."""
    return sum(_KEYS[RANK_OF[card]] for card in cards)


def _bits_of(cards: Sequence[Card], suit: int) -> int:
    """The ranks of the cards of a suit as bits, the deuce lowest."""
    return sum(_BITS[RANK_OF[card]] for card in cards if SUIT_OF[card] == suit)
