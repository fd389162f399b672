"""A house's own spots of baccarat: in how many ways each ends how, exactly, from the cards nobody has seen.

What a condition may ask falls into the points of the round (winner, totals, number of cards, margin, natural)
and the pairs of the two hands. The points follow from how many cards of each of ten point classes are there,
the pairs from the ranks and suits of four cards. So an ending is a sum of terms: one by points alone, and
corrections where the Player has a pair (``any``) or a perfect one, where the Banker has, where both have, and
where both are of one rank.
A correction that is the same for all points is a product of counts (``pair_events``). The others fix the
cards of the pair and go on by points, as the whole round does (``baccarat_points``, ``baccarat_answers``).

Spots that ask for the same share it, the game's own among them: each difference that the points make is
counted once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import perm
from operator import mul
from typing import NamedTuple

from controller.games.baccarat import OWN, POINTS, Baccarat, winner
from controller.games.game import Dealt
from controller.games.house_spots import Facts, HouseSpot
from controller.games.paytable import PayTable
from controller.odds.baccarat_answers import Answers, Function
from controller.odds.baccarat_thirds import FINALS, Final, final
from controller.odds.multisets import CLASSES, LARGEST
from controller.odds.pair_events import EVENTS, Event, Missing, Pair, Shape, State
from controller.odds.prices import Chance
from controller.odds.spot_ways import SpotWays
from controller.odds.tableau import MOST_KNOWN, outcome
from controller.vocabulary.cards import Card

PUSH = "push"
NO_PAIR, SOME_PAIR, PERFECT = _KINDS = range(3)
_DIFFERENCES: Mapping[Pair, tuple[tuple[int, int], ...]] = {
    "whatever": ((1, NO_PAIR),),
    "any": ((1, SOME_PAIR), (-1, NO_PAIR)),
    "perfect": ((1, PERFECT), (-1, SOME_PAIR)),
}
"""What an event adds: sign and kind of pair."""
Kinds = tuple[int, int, bool]
"""The kinds of pairs of Player and Banker, and whether both are of one rank."""
_KINDS_OF_BOTH: list[Kinds] = [
    (player, banker, equal)
    for player in _KINDS
    for banker in _KINDS
    for equal in (False, True)
    if not equal or NO_PAIR not in (player, banker)
]


class Ending(NamedTuple):
    """A spot and how it ends: what it pays, or ``push``."""

    spot: str
    how: str


class Ended(NamedTuple):
    """In ``ways`` of ``total`` equally likely ways a spot ends so: by ending."""

    ways: list[int]
    total: int


class Term(NamedTuple):
    """What an event of the pairs adds to endings: the same for all points, or by the points."""

    event: Event
    shape: Shape
    constant: Mapping[int, int]
    """Place of the ending -> times."""
    uses: Mapping[int, list[tuple[int, int]]]
    """Place of a function of the event's shape -> places of endings, and times."""


class HouseWays:
    """These spots, those that a house wrote and others of the game."""

    def __init__(self, spots: Mapping[str, HouseSpot]) -> None:
        self.spots = spots
        self._hows = {
            name: [how for how in dict.fromkeys(row.pays or row.result for row in spot.rows) if how != "lose"]
            for name, spot in spots.items()
        }
        self.endings = [Ending(name, how) for name, hows in self._hows.items() for how in hows]
        self._place = {ending: place for place, ending in enumerate(self.endings)}
        functions: dict[Shape, dict[Function, int]] = {}
        terms = [self._term(event, functions) for event in EVENTS]
        self.terms = [term for term in terms if term.constant or term.uses]
        self._answers = Answers({shape: list(asked) for shape, asked in functions.items() if asked})

    def ways(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> Ended:
        """``dealt`` are up to four cards in deal order, and enough are unseen for six."""
        missing = Missing(unseen, dealt)
        counts = [0] * CLASSES
        for card, there in unseen.items():
            counts[POINTS[card[0]]] += there
        answers = self._answers.by_shape(_state(dealt), counts)
        ways = [0] * len(self.endings)
        for event, shape, constant, uses in self.terms:
            weights = missing.weights(event)
            if constant:
                orders = missing.orders(event, weights)
                for place, times in constant.items():
                    ways[place] += times * orders
            for number, ends in uses.items():
                found = sum(map(mul, weights, answers[shape][number]))
                for place, times in ends:
                    ways[place] += times * found
        return Ended(ways, missing.orders(EVENTS[0], [1]))

    def spot_ways(self, ended: Ended) -> dict[str, SpotWays]:
        """By spot."""
        found: dict[str, SpotWays] = {}
        each = iter(ended.ways)
        for name, hows in self._hows.items():
            ends = {how: number for how, number in zip(hows, each, strict=False) if number}
            pushes = ends.pop(PUSH, 0)
            found[name] = SpotWays(ends, pushes, ended.total)
        return found

    def chances(self, ended: Ended) -> dict[str, Chance]:
        """By spot, where all its winning rows pay alike."""
        ways, total = ended
        return {
            name: Chance(ways[win], 0 if push is None else ways[push], total)
            for name, win, push in self._alike
        }

    @cached_property
    def _alike(self) -> list[tuple[str, int, int | None]]:
        """The places of the one win of each spot, and of its push."""
        return [
            (
                name,
                next(self._place[Ending(name, how)] for how in hows if how != PUSH),
                self._place.get(Ending(name, PUSH)),
            )
            for name, hows in self._hows.items()
        ]

    def late_ways(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> Ended:
        """Where only one card is missing, or the round is decided, which is one way."""
        points = [POINTS[card[0]] for card in dealt]
        player, banker = (points[0] + points[2]) % 10, (points[1] + points[3]) % 10
        mine, theirs = _kind(dealt[0], dealt[2]), _kind(dealt[1], dealt[3])
        kinds = mine, theirs, NO_PAIR not in (mine, theirs) and dealt[0][0] == dealt[1][0]
        last: dict[int, int] = {0: 1}
        if outcome(points) is None:
            last = dict.fromkeys(range(CLASSES), 0)
            for card, there in unseen.items():
                last[POINTS[card[0]]] += there
        ways = [0] * len(self.endings)
        for point, there in last.items():
            fifth, sixth = (*points[4:], point, point)[:2]
            for place, ended in enumerate(self._ends[final(player, banker, (fifth, sixth)), kinds]):
                ways[place] += ended * there
        return Ended(ways, sum(last.values()))

    @cached_property
    def _ends(self) -> dict[tuple[Final, Kinds], list[int]]:
        """1 for each ending that the spots have after these points with these pairs."""
        return {(points, kinds): self._ended(points, *kinds) for points in FINALS for kinds in _KINDS_OF_BOTH}

    def _term(self, event: Event, functions: dict[Shape, dict[Function, int]]) -> Term:
        """What the event adds: the difference that the pair makes, of both pairs that of the differences.

        ``functions`` are those of all events so far, each with its place in its shape.
        """
        constant: dict[int, int] = {}
        uses: dict[int, list[tuple[int, int]]] = {}
        corners = [
            (sign * other * more, (player, banker, equal))
            for sign, player in _DIFFERENCES[event.player]
            for other, banker in _DIFFERENCES[event.banker]
            for more, equal in (((1, True), (-1, False)) if event.equal else ((1, False),))
            if not event.equal or NO_PAIR not in (player, banker)  # that needs a pair of each
        ]
        known = functions.setdefault(event.shape, {})
        for place in range(len(self.endings)):
            adds = [
                sum(sign * self._ends[points, kinds][place] for sign, kinds in corners) for points in FINALS
            ]
            if adds[0]:
                constant[place] = adds[0]
            above = [number - adds[0] for number in adds]
            sign = next((1 if number > 0 else -1 for number in above if number), 0)
            if sign:
                function = tuple(sign * number for number in above)
                uses.setdefault(known.setdefault(function, len(known)), []).append((place, sign))
        return Term(event, event.shape, constant, uses)

    def _ended(self, points: Final, player_kind: int, banker_kind: int, equal: bool) -> list[int]:
        player, banker, player_cards, banker_cards, natural = points
        facts = {
            "winner": winner(player, banker),
            "player_total": player,
            "banker_total": banker,
            "natural": natural,
            "player_cards": player_cards,
            "banker_cards": banker_cards,
            "cards": player_cards + banker_cards,
            "margin": abs(player - banker),
            "player_pair": player_kind != NO_PAIR,
            "banker_pair": banker_kind != NO_PAIR,
            "any_pair": player_kind != NO_PAIR or banker_kind != NO_PAIR,
            "player_perfect_pair": player_kind == PERFECT,
            "banker_perfect_pair": banker_kind == PERFECT,
            "equal_pairs": equal,
        }
        return self.ended(facts)

    def ended(self, facts: Facts) -> list[int]:
        """1 for each ending that the spots have in a round of these facts."""
        ended = {name: spot.result(facts) for name, spot in self.spots.items()}
        return [int((ended[end.spot].pays or ended[end.spot].result) == end.how) for end in self.endings]


def _state(dealt: Sequence[Card]) -> State:
    player, banker = dealt[0:4:2], dealt[1:4:2]
    mine, theirs = (sum(POINTS[card[0]] for card in hand) % 10 for hand in (player, banker))
    return len(player), len(banker), mine, theirs


def house_ways(
    game: Baccarat, unseen: Mapping[Card, int], dealt: Sequence[Card], spots: Sequence[str]
) -> dict[str, SpotWays]:
    """The ways of these spots, the house's or the game's own, from the unseen cards and those dealt, in deal
    order.

    Out of as many as :func:`controller.odds.baccarat.outcome_ways` counts, which says first whether the cards
    suffice.
    """
    house = _ways_of(game.pay_table, tuple(spots))
    return house.spot_ways(_ended(house, game, unseen, dealt))


def house_chances(
    game: Baccarat, unseen: Mapping[Card, int], dealt: Sequence[Card], spots: Sequence[str]
) -> dict[str, Chance]:
    """The chances of these spots, whose winning rows pay alike; see :func:`house_ways`."""
    house = _ways_of(game.pay_table, tuple(spots))
    return house.chances(_ended(house, game, unseen, dealt))


def _ended(house: HouseWays, game: Baccarat, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> Ended:
    if is_late(dealt):
        return house.late_ways(unseen, dealt)
    if are_few(unseen, dealt):
        return _one_by_one(game, house, unseen, dealt)
    return house.ways(unseen, dealt)


def is_late(dealt: Sequence[Card]) -> bool:
    """Whether only one card is missing, or none."""
    return len(dealt) > MOST_KNOWN or outcome([POINTS[card[0]] for card in dealt]) is not None


def are_few(unseen: Mapping[Card, int], dealt: Sequence[Card]) -> bool:
    """Whether the cards may not suffice for a round."""
    return sum(unseen.values()) + len(dealt) < LARGEST


@lru_cache(maxsize=16)
def _ways_of(table: PayTable, names: tuple[str, ...]) -> HouseWays:
    return HouseWays({name: table.spots.get(name) or OWN[name] for name in names})


def _one_by_one(game: Baccarat, house: HouseWays, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> Ended:
    """Where fewer than six cards are left."""
    laid: list[Dealt] = []
    for card in dealt:
        laid.append(Dealt(str(game.next_position(laid)), card))
    orders = sum(unseen.values())
    ways = [0] * len(house.endings)
    for facts, there in _rounds(game, unseen, laid, orders):
        for place, ended in enumerate(house.ended(facts)):
            ways[place] += ended * there
    return Ended(ways, perm(orders, orders))


def _rounds(
    game: Baccarat, unseen: Mapping[Card, int], laid: list[Dealt], orders: int
) -> Iterator[tuple[Facts, int]]:
    """What each complete round makes, and the orders of the next ``orders`` cards that begin with it."""
    position = game.next_position(laid)
    if position is None:
        yield game.facts(laid), perm(sum(unseen.values()), orders)
        return
    for card, there in unseen.items():
        if there:
            fewer = {**unseen, card: there - 1}
            for facts, ways in _rounds(game, fewer, [*laid, Dealt(position, card)], orders - 1):
                yield facts, there * ways


def _kind(first: Card, second: Card) -> int:
    """Which pair two cards are."""
    if first == second:
        return PERFECT
    return SOME_PAIR if first[0] == second[0] else NO_PAIR
