"""The pairs of a round of baccarat: in how many orders of the unseen cards a hand begins with one.

Player and Banker get their first two cards in turn; what is dealt so far leaves some of them open. A pair is
of one rank, a perfect one of one suit too (2.5.3). The cards of the pair are drawn before the others: of the
same cards every order is as likely.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import perm
from typing import Literal, NamedTuple

from controller.games.baccarat import POINTS
from controller.odds.multisets import LARGEST
from controller.vocabulary.cards import RANKS, SUITS, Card

Pair = Literal["whatever", "any", "perfect"]


class Event(NamedTuple):
    """What is asked of the first two cards of each hand; a perfect pair is any pair too."""

    player: Pair
    banker: Pair

    @property
    def both(self) -> bool:
        """Whether it asks for a pair of each."""
        return "whatever" not in self


_CARDS = [[Card(rank + suit) for suit in SUITS] for rank in RANKS]

PAIRS: tuple[Pair, ...] = ("whatever", "any", "perfect")
EVENTS = tuple(Event(player, banker) for player in PAIRS for banker in PAIRS)

State = tuple[int, int, int, int]
"""How many of their first two cards Player and Banker have, and the points of these."""


WEIGHT_BITS = 64
"""Six cards of eight decks have fewer orders than 2**53."""


class Missing:
    """What is open of the first four cards of a round: ``dealt`` are up to four, in deal order."""

    def __init__(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> None:
        self._unseen = [[unseen.get(card, 0) for card in of_rank] for of_rank in _CARDS]
        self._left = sum(map(sum, self._unseen))
        self._hands = (dealt[0:4:2], dealt[1:4:2])
        self._open = LARGEST - len(dealt)

    def orders(self, event: Event) -> int:
        """Orders of the cards that are missing to six in which the event happens."""
        fixed = sum(self._fixed(event))
        return self._drawn(event) * perm(self._left - fixed, self._open - fixed)

    def by_class(self, event: Event, counts: Sequence[int]) -> Iterator[tuple[State, int, list[int]]]:
        """By the points of the pairs: the state after them, the orders of their cards, and what is left then
        of ``counts``, the unseen cards of each point class."""
        fixed = self._fixed(event)
        for points, ways in self._by_points(event).items():
            left = list(counts)
            for point, cards in zip(points, fixed, strict=True):
                left[point] -= cards
            sizes, totals = zip(*map(self._after, event, self._hands, points), strict=True)
            yield (*sizes, *totals), ways, left

    def both_by_class(
        self, events: Sequence[Event], counts: Sequence[int]
    ) -> Iterator[tuple[int, int, int, list[int]]]:
        """Of events that ask for both pairs: totals of Player and Banker, the orders of the cards of the
        pairs, those of each event in ``WEIGHT_BITS`` of one number, and what is left then of ``counts``."""
        orders: Counter[tuple[int, int]] = Counter()
        for number, event in enumerate(events):
            for points, ways in self._by_points(event).items():
                orders[points] += ways << WEIGHT_BITS * number
        player, banker = self._fixed(events[0])
        for (mine, theirs), weight in orders.items():
            left = list(counts)
            left[mine] -= player
            left[theirs] -= banker
            yield 2 * mine % 10, 2 * theirs % 10, weight, left

    def _fixed(self, event: Event) -> tuple[int, int]:
        """How many cards each hand draws for its pair."""
        player, banker = self._hands
        return (
            0 if event.player == "whatever" else 2 - len(player),
            0 if event.banker == "whatever" else 2 - len(banker),
        )

    @staticmethod
    def _after(asked: Pair, hand: Sequence[Card], point: int) -> tuple[int, int]:
        """How many cards the hand has with its pair, and their points."""
        if asked == "whatever":
            return len(hand), sum(POINTS[card[0]] for card in hand) % 10
        return 2, 2 * point % 10

    def _drawn(self, event: Event) -> int:
        """Orders of the cards of the pairs."""
        return sum(self._by_points(event).values())

    def _by_points(self, event: Event) -> dict[tuple[int, int], int]:
        """By the points of a card of each pair, 0 where none is asked for: orders of their cards."""
        player, banker = (self._pairs(asked, hand) for asked, hand in zip(event, self._hands, strict=True))
        if event.player == "whatever" or event.banker == "whatever":
            return {
                (mine, theirs): ways * more
                for mine, ways in _by_class(player).items()
                for theirs, more in _by_class(banker).items()
            }
        found: Counter[tuple[int, int]] = Counter()
        for mine, ways in _by_class(player).items():
            for theirs, more in _by_class(banker).items():
                found[mine, theirs] = ways * more
        for rank, point in enumerate(_POINTS):  # pairs of one rank draw from the same cards
            if player.get(rank) and banker.get(rank):
                found[point, point] += self._same_rank(event, rank) - player[rank] * banker[rank]
        return {points: ways for points, ways in found.items() if ways}

    def _pairs(self, asked: Pair, hand: Sequence[Card]) -> dict[int, int]:
        """By rank: orders of the cards that one hand still needs for its pair."""
        if asked == "whatever":
            return {_TEN: 1}
        if len(hand) == 2:
            first, second = hand
            paired = first == second if asked == "perfect" else first[0] == second[0]
            return {RANKS.index(first[0]): 1} if paired else {}
        if len(hand) == 1:
            rank, suit = RANKS.index(hand[0][0]), SUITS.index(hand[0][1])
            of_suit = self._unseen[rank]
            return {rank: of_suit[suit] if asked == "perfect" else sum(of_suit)}
        if asked == "perfect":
            return {rank: sum(map(_two, of_suit)) for rank, of_suit in enumerate(self._unseen)}
        return {rank: _two(sum(of_suit)) for rank, of_suit in enumerate(self._unseen)}

    def _same_rank(self, event: Event, rank: int) -> int:
        """Orders of the cards of two pairs of one rank."""
        player, banker = self._hands
        of_suit = self._unseen[rank]
        there = sum(of_suit)
        perfect = sum(map(_two, of_suit))
        if len(player) == 2:
            return self._pairs(event.banker, banker)[rank]  # the Player's is there
        if len(player) == 0:
            match event:
                case ("any", "any"):
                    return perm(there, 4)
                case ("perfect", "perfect"):
                    return sum(_two(one) * (perfect - _two(one) + _two(one - 2)) for one in of_suit)
            return perfect * _two(there - 2)
        mine = of_suit[SUITS.index(player[0][1])]
        if len(banker) == 0:
            match event:
                case ("any", "any"):
                    return perm(there, 3)
                case ("perfect", "any"):
                    return mine * _two(there - 1)
                case ("any", "perfect"):
                    return perfect * (there - 2)
            return mine * (perfect - _two(mine) + _two(mine - 1))
        theirs = of_suit[SUITS.index(banker[0][1])]
        match event:
            case ("any", "any"):
                return _two(there)
            case ("perfect", "any"):
                return mine * (there - 1)
            case ("any", "perfect"):
                return theirs * (there - 1)
        return _two(mine) if player[0][1] == banker[0][1] else mine * theirs


_POINTS = tuple(POINTS[rank] for rank in RANKS)
_TEN = RANKS.index("T")
"""Stands where no pair is asked for: no points."""


def _two(cards: int) -> int:
    """Orders of two of so many cards."""
    return cards * (cards - 1)


def _by_class(by_rank: Mapping[int, int]) -> dict[int, int]:
    found: Counter[int] = Counter()
    for rank, ways in by_rank.items():
        found[_POINTS[rank]] += ways
    return {point: ways for point, ways in found.items() if ways}
