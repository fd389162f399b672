"""A house's own spots of baccarat: in how many ways each ends how, exactly, from the cards nobody has seen.

What a condition may ask falls into the points of the round (winner, totals, number of cards, margin, natural)
and the pairs of the two hands. The points follow from how many cards of each of ten point classes are there,
the pairs from the ranks and suits of four cards. So an ending is a sum of terms: one by points alone, and
corrections where the Player has a pair (``any``) or a perfect one, where the Banker has, and where both have.
A correction that is the same for all points is a product of counts. The others fix the cards of the pair and
go on by points, as the whole round does (``baccarat_points``); where both hands have a pair only the thirds
are left (``baccarat_thirds``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import perm
from typing import NamedTuple

from controller.games.baccarat import POINTS, Baccarat, winner
from controller.games.game import Dealt
from controller.games.house_spots import Facts, HouseSpot
from controller.games.paytable import PayTable
from controller.odds.baccarat_points import LANE, PointsTable
from controller.odds.baccarat_thirds import FINALS, Final, final, weights
from controller.odds.multisets import CLASSES, LARGEST
from controller.odds.pair_events import EVENTS, WEIGHT_BITS, Event, Missing, Pair
from controller.odds.spot_ways import SpotWays, counted
from controller.odds.tableau import MOST_KNOWN, outcome
from controller.vocabulary.cards import Card
from controller.vocabulary.outcomes import SpotOutcome

PUSH = "push"
NO_PAIR, SOME_PAIR, PERFECT = _KINDS = range(3)
_DIFFERENCES: Mapping[Pair, tuple[tuple[int, int], ...]] = {
    "whatever": ((1, NO_PAIR),),
    "any": ((1, SOME_PAIR), (-1, NO_PAIR)),
    "perfect": ((1, PERFECT), (-1, SOME_PAIR)),
}
"""What an event adds: sign and kind of pair."""
_KINDS_OF_BOTH = [(player, banker) for player in _KINDS for banker in _KINDS]


class Ending(NamedTuple):
    """A spot and how it ends: what it pays, or ``push``."""

    spot: str
    how: str


class Term(NamedTuple):
    """What an event of the pairs adds to endings: the same for all points, or by the points."""

    event: Event
    constant: Mapping[int, int]
    """Place of the ending -> times."""
    table: PointsTable | None


class HouseWays:
    """The house's spots of one pay table."""

    def __init__(self, spots: Mapping[str, HouseSpot]) -> None:
        self._spots = spots
        self.endings = [
            Ending(name, how)
            for name, spot in spots.items()
            for how in dict.fromkeys(row.pays or row.result for row in spot.rows)
            if how != "lose"
        ]

    def ways(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> dict[str, SpotWays]:
        """Of every spot; ``dealt`` are up to four cards in deal order, and enough are unseen for six."""
        missing = Missing(unseen, dealt)
        counts = [0] * CLASSES
        for card, there in unseen.items():
            counts[POINTS[card[0]]] += there
        ways = [0] * len(self.endings)
        for term in self.terms:
            for place, times in term.constant.items():
                ways[place] += times * missing.orders(term.event)
            if term.table is not None and not term.event.both:
                for state, weight, left in missing.by_class(term.event, counts):
                    term.table.add(ways, term.table.ways(state, left), weight)
        both = [(term.event, term.table) for term in self.terms if term.table and term.event.both]
        met = weights(missing.both_by_class([event for event, _ in both], counts)) if both else []
        for number, (_, table) in enumerate(both):
            of_event = [weight >> WEIGHT_BITS * number & (1 << WEIGHT_BITS) - 1 for weight in met]
            table.add(ways, table.weighed(of_event))
        return self._by_spot(ways, missing.orders(EVENTS[0]))

    def _by_spot(self, ways: Sequence[int], total: int) -> dict[str, SpotWays]:
        found: dict[str, SpotWays] = {}
        for name in self._spots:
            ends = {end.how: ways[place] for place, end in enumerate(self.endings) if end.spot == name}
            pushes = ends.pop(PUSH, 0)
            found[name] = SpotWays({pays: number for pays, number in ends.items() if number}, pushes, total)
        return found

    def late_ways(self, unseen: Mapping[Card, int], dealt: Sequence[Card]) -> dict[str, SpotWays]:
        """Where only one card is missing, or the round is decided, which is one way."""
        points = [POINTS[card[0]] for card in dealt]
        player, banker = (points[0] + points[2]) % 10, (points[1] + points[3]) % 10
        kinds = _kind(dealt[0], dealt[2]), _kind(dealt[1], dealt[3])
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
        return self._by_spot(ways, sum(last.values()))

    @cached_property
    def terms(self) -> list[Term]:
        """The terms that add something to some ending."""
        return [term for event in EVENTS if (term := self._term(event)) is not None]

    @cached_property
    def _ends(self) -> dict[tuple[Final, tuple[int, int]], list[int]]:
        """1 for each ending that the spots have after these points with these pairs."""
        return {(points, kinds): self._ended(points, *kinds) for points in FINALS for kinds in _KINDS_OF_BOTH}

    def _term(self, event: Event) -> Term | None:
        """What the event adds: the difference that the pair makes, of both pairs that of the differences."""
        constant: dict[int, int] = {}
        by_points: dict[int, list[int]] = {}
        corners = [
            (sign * other, (player, banker))
            for sign, player in _DIFFERENCES[event.player]
            for other, banker in _DIFFERENCES[event.banker]
        ]
        for place in range(len(self.endings)):
            adds = [
                sum(sign * self._ends[points, kinds][place] for sign, kinds in corners) for points in FINALS
            ]
            if len(set(adds)) > 1:
                by_points[place] = adds
            elif adds[0]:
                constant[place] = adds[0]
        if not by_points:
            return Term(event, constant, None) if constant else None
        lanes: list[int] = []
        values = dict.fromkeys(FINALS, 0)
        for place, adds in by_points.items():
            for lane, sign in ((place, 1), (~place, -1)):
                if any(add * sign > 0 for add in adds):
                    for points, add in zip(FINALS, adds, strict=True):
                        values[points] |= max(0, add * sign) << LANE * len(lanes)
                    lanes.append(lane)
        return Term(event, constant, PointsTable(lanes, values))

    def _ended(self, points: Final, player_kind: int, banker_kind: int) -> list[int]:
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
        }
        ended = {name: spot.result(facts) for name, spot in self._spots.items()}
        return [int((ended[end.spot].pays or ended[end.spot].result) == end.how) for end in self.endings]


def house_ways(
    game: Baccarat, unseen: Mapping[Card, int], dealt: Sequence[Card], *, alike: bool = False
) -> dict[str, SpotWays]:
    """The ways of every spot that the house wrote, or of those that pay ``alike``, from the unseen cards and
    those dealt, in deal order.

    Out of as many as :func:`controller.odds.baccarat.outcome_ways` counts, which says first whether the cards
    suffice.
    """
    spots = _spots(game.pay_table, alike)
    if not spots:
        return {}
    if len(dealt) > MOST_KNOWN or outcome([POINTS[card[0]] for card in dealt]) is not None:
        return _ways_of(game.pay_table, alike).late_ways(unseen, dealt)
    if sum(unseen.values()) + len(dealt) < LARGEST:
        return _one_by_one(game, spots, unseen, dealt)
    return _ways_of(game.pay_table, alike).ways(unseen, dealt)


def _spots(table: PayTable, alike: bool) -> dict[str, HouseSpot]:
    return {name: spot for name, spot in table.spots.items() if spot.pays_alike or not alike}


@lru_cache(maxsize=8)
def _ways_of(table: PayTable, alike: bool) -> HouseWays:
    return HouseWays(_spots(table, alike))


def _one_by_one(
    game: Baccarat, spots: Mapping[str, HouseSpot], unseen: Mapping[Card, int], dealt: Sequence[Card]
) -> dict[str, SpotWays]:
    """Where fewer than six cards are left."""
    laid: list[Dealt] = []
    for card in dealt:
        laid.append(Dealt(str(game.next_position(laid)), card))
    orders = sum(unseen.values())
    results: dict[str, list[tuple[SpotOutcome, int]]] = {spot: [] for spot in spots}
    for facts, ways in _rounds(game, unseen, laid, orders):
        for name, spot in spots.items():
            results[name].append((spot.result(facts), ways))
    total = perm(orders, orders)
    return {name: counted(ended, total) for name, ended in results.items()}


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
