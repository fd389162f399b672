"""The pairs of a round of baccarat: in how many orders of the unseen cards a hand begins with one.

Player and Banker get their first two cards in turn; what is dealt so far leaves some of them open. A pair is
of one rank, a perfect one of one suit too (2.5.3). The cards of the pair are drawn before the others: of the
same cards every order is as likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import perm
from typing import Literal, NamedTuple

from controller.games.baccarat import POINTS
from controller.odds.multisets import CLASSES, LARGEST
from controller.vocabulary.cards import RANKS, SUITS, Card

Pair = Literal["whatever", "any", "perfect"]


class Shape(NamedTuple):
    """Whether a pair is asked for, of the Player and of the Banker."""

    player: bool
    banker: bool


class Event(NamedTuple):
    """What is asked of the first two cards of each hand; a perfect pair is any pair too."""

    player: Pair
    banker: Pair
    equal: bool = False
    """Both pairs are of one rank."""

    @property
    def shape(self) -> Shape:
        """What it asks for, whichever pair."""
        return Shape(self.player != "whatever", self.banker != "whatever")


_CARDS = [[Card(rank + suit) for suit in SUITS] for rank in RANKS]

PAIRS: tuple[Pair, ...] = ("whatever", "any", "perfect")
EVENTS = (
    *(Event(player, banker) for player in PAIRS for banker in PAIRS),
    *(Event(player, banker, equal=True) for player in PAIRS[1:] for banker in PAIRS[1:]),
)

State = tuple[int, int, int, int]
"""How many of their first two cards Player and Banker have, and the points of these."""
Slot = tuple[int, ...]
"""The classes of the cards that are drawn for pairs, the Player's first."""


def slots(state: State, shape: Shape) -> list[Slot]:
    """All that may be drawn for the pairs: two cards of any class, one of that of a hand's card, or none."""
    mine, theirs, player, banker = state
    return [
        drawn + other
        for drawn in _drawn(mine, shape.player, player)
        for other in _drawn(theirs, shape.banker, banker)
    ]


def _drawn(hand: int, paired: bool, points: int) -> list[Slot]:
    if not paired or hand == 2:
        return [()]
    return [(points,)] if hand else [(point, point) for point in range(CLASSES)]


class Missing:
    """What is open of the first four cards of a round: ``dealt`` are up to four, in deal order."""

    def __init__(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> None:
        self._unseen = [[unseen.get(card, 0) for card in of_rank] for of_rank in _CARDS]
        self._ranks = [sum(of_suit) for of_suit in self._unseen]
        self._left = sum(self._ranks)
        self._hands = tuple(dealt[0:4:2]), tuple(dealt[1:4:2])
        self._open = LARGEST - len(dealt)
        self._found: dict[tuple[Pair, tuple[Card, ...]], dict[int, int]] = {}

    def orders(self, event: Event, weights: Sequence[int]) -> int:
        """Orders of the cards that are missing to six in which an event of these weights happens."""
        fixed = sum(2 - len(hand) for paired, hand in zip(event.shape, self._hands, strict=True) if paired)
        return sum(weights) * perm(self._left - fixed, self._open - fixed)

    def weights(self, event: Event) -> list[int]:
        """Orders of the cards of the pairs, by :func:`slots`."""
        if event == EVENTS[0]:
            return [1]
        mine, theirs = self._by_slot(0, event.player), self._by_slot(1, event.banker)
        found = [0 if event.equal else one * other for one in mine for other in theirs]
        if all(event.shape):
            player, banker = self._pairs(0, event.player), self._pairs(1, event.banker)
            for rank in player.keys() & banker.keys():  # pairs of one rank draw from the same cards
                place = self._slot(0, rank) * len(theirs) + self._slot(1, rank)
                apart = 0 if event.equal else player[rank] * banker[rank]
                found[place] += self._same_rank(event, rank) - apart
        return found

    def _slot(self, side: int, rank: int) -> int:
        return 0 if self._hands[side] else _POINTS[rank]

    def _by_slot(self, side: int, asked: Pair) -> list[int]:
        if asked == "whatever":
            return [1]
        found = [0] * (1 if self._hands[side] else CLASSES)
        for rank, ways in self._pairs(side, asked).items():
            found[self._slot(side, rank)] += ways
        return found

    def _pairs(self, side: int, asked: Pair) -> dict[int, int]:
        """By rank: orders of the cards that one hand still needs for its pair."""
        key = asked, self._hands[side]
        if key not in self._found:
            self._found[key] = self._counted(asked, self._hands[side])
        return self._found[key]

    def _counted(self, asked: Pair, hand: Sequence[Card]) -> dict[int, int]:
        if len(hand) == 2:
            first, second = hand
            paired = first == second if asked == "perfect" else first[0] == second[0]
            return {RANKS.index(first[0]): 1} if paired else {}
        if len(hand) == 1:
            rank, suit = RANKS.index(hand[0][0]), SUITS.index(hand[0][1])
            of_suit = self._unseen[rank]
            return {rank: of_suit[suit] if asked == "perfect" else self._ranks[rank]}
        if asked == "perfect":
            return {rank: sum(map(_two, of_suit)) for rank, of_suit in enumerate(self._unseen)}
        return {rank: _two(there) for rank, there in enumerate(self._ranks)}

    def _same_rank(self, event: Event, rank: int) -> int:
        """Orders of the cards of two pairs of one rank."""
        player, banker = self._hands
        of_suit = self._unseen[rank]
        there = self._ranks[rank]
        perfect = sum(map(_two, of_suit))
        if len(player) == 2:
            return self._pairs(1, event.banker)[rank]  # the Player's is there
        if len(player) == 0:
            match event.player, event.banker:
                case ("any", "any"):
                    return perm(there, 4)
                case ("perfect", "perfect"):
                    return sum(_two(one) * (perfect - _two(one) + _two(one - 2)) for one in of_suit)
            return perfect * _two(there - 2)
        mine = of_suit[SUITS.index(player[0][1])]
        if len(banker) == 0:
            match event.player, event.banker:
                case ("any", "any"):
                    return perm(there, 3)
                case ("perfect", "any"):
                    return mine * _two(there - 1)
                case ("any", "perfect"):
                    return perfect * (there - 2)
            return mine * (perfect - _two(mine) + _two(mine - 1))
        theirs = of_suit[SUITS.index(banker[0][1])]
        match event.player, event.banker:
            case ("any", "any"):
                return _two(there)
            case ("perfect", "any"):
                return mine * (there - 1)
            case ("any", "perfect"):
                return theirs * (there - 1)
        return _two(mine) if player[0][1] == banker[0][1] else mine * theirs


_POINTS = tuple(POINTS[rank] for rank in RANKS)


def _two(cards: int) -> int:
    """Orders of two of so many cards."""
    return cards * (cards - 1)
