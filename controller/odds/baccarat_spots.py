"""A house's own spots of baccarat: in how many ways each ends how, exactly, from the cards nobody has seen.

What a condition may ask falls into the points of the round (winner, totals, number of cards, margin, natural)
and the pairs of the two hands. The points follow from how many cards of each of ten point classes are there,
the pairs from the ranks and suits of four cards. So an ending is a sum of terms: one by points alone, and
corrections where the Player has a pair (``any``) or a perfect one, where the Banker has, and where both have.
A correction that is the same for all points is a product of counts. The others fix the cards of the pair and
go on by points, as the whole round does: a table says how many orders of each multiset of the unseen cards
end so. It is made once for a pay table, from the thirds backwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from math import perm
from operator import mul
from typing import NamedTuple

from controller.games.baccarat import NATURAL, POINTS, Baccarat, banker_draws, player_draws, winner
from controller.games.game import Dealt
from controller.games.house_spots import Facts, HouseSpot
from controller.games.paytable import PayTable
from controller.odds.multisets import CLASSES, LARGEST, multisets, parts
from controller.odds.pair_events import EVENTS, Event, Missing, Pair, State
from controller.odds.plain import Packed, packed, sums
from controller.odds.spot_ways import SpotWays, counted
from controller.odds.tableau import MOST_KNOWN, outcome
from controller.vocabulary.cards import Card
from controller.vocabulary.outcomes import SpotOutcome

_LANE = 16
_ONE_LANE = (1 << _LANE) - 1
"""Bits: no multiset of six has more than 720 orders, and no correction counts one more than four times."""

PUSH = "push"
NO_PAIR, SOME_PAIR, PERFECT = _KINDS = range(3)
_DIFFERENCES: Mapping[Pair, tuple[tuple[int, int], ...]] = {
    "whatever": ((1, NO_PAIR),),
    "any": ((1, SOME_PAIR), (-1, NO_PAIR)),
    "perfect": ((1, PERFECT), (-1, SOME_PAIR)),
}
"""What an event adds: sign and kind of pair."""
_KINDS_OF_BOTH = [(player, banker) for player in _KINDS for banker in _KINDS]
_TWO_POINTS = [(one, other) for one in range(CLASSES) for other in range(CLASSES)]

Final = tuple[int, int, int, int, bool]
"""Totals of Player and Banker, cards of each, natural."""


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


class PointsTable:
    """Ways by the points of a round: in how many orders each multiset of cards makes some endings."""

    def __init__(self, lanes: Sequence[int], values: Mapping[Final, int]) -> None:
        self.lanes = lanes
        """The place of the ending that each lane counts; below 0, ``~place``, counts against it."""
        self._values = values
        self._orders: dict[State, dict[int, int]] = {}
        self._packed: dict[State, Packed] = {}

    def ways(self, state: State, counts: Sequence[int]) -> list[int]:
        """By lane, from a state (see ``orders``) and the unseen cards of each class."""
        unseen = LARGEST - state[0] - state[1]
        if state not in self._packed:
            orders = self.orders(state)
            each = [orders.get(key, 0) for key in _keys(unseen)]
            lanes = [[value >> _LANE * lane & _ONE_LANE for value in each] for lane in range(len(self.lanes))]
            self._packed[state] = packed(lanes, unseen)
        return sums(self._packed[state], len(self.lanes), unseen, counts)

    def orders(self, state: State) -> dict[int, int]:
        """Key of a multiset of the cards that are missing to six -> its orders, in lanes."""
        found = self._orders.get(state)
        if found is None:
            found = self._orders[state] = dict(self._thirds(*state[2:])) if state[:2] == (2, 2) else {}
            for point, after in _next(state):
                for key, value in self.orders(after).items():
                    found[key + _KEY[point]] = found.get(key + _KEY[point], 0) + value
        return found

    def _thirds(self, player: int, banker: int) -> dict[int, int]:
        """The orders of the last two cards, of which both, one or none is dealt."""
        orders: dict[int, int] = {}
        for fifth, sixth in _TWO_POINTS:
            key = _KEY[fifth] + _KEY[sixth]
            value = self._values[_final(player, banker, (fifth, sixth))]
            orders[key] = orders.get(key, 0) + value
        return orders


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
            if term.table is not None:
                for state, weight, left in missing.by_class(term.event, counts):
                    for lane, number in zip(term.table.lanes, term.table.ways(state, left), strict=True):
                        ways[max(lane, ~lane)] += weight * number if lane >= 0 else -weight * number
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
            for place, ended in enumerate(self._ends[_final(player, banker, (fifth, sixth)), kinds]):
                ways[place] += ended * there
        return self._by_spot(ways, sum(last.values()))

    @cached_property
    def terms(self) -> list[Term]:
        """The terms that add something to some ending."""
        finals = sorted({final for final, _ in self._ends})
        return [term for event in EVENTS if (term := self._term(event, finals)) is not None]

    @cached_property
    def _ends(self) -> dict[tuple[Final, tuple[int, int]], list[int]]:
        """1 for each ending that the spots have after these points with these pairs."""
        finals = {_final(*totals, thirds) for totals in _TWO_POINTS for thirds in _TWO_POINTS}
        return {(points, kinds): self._ended(points, *kinds) for points in finals for kinds in _KINDS_OF_BOTH}

    def _term(self, event: Event, finals: Sequence[Final]) -> Term | None:
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
                sum(sign * self._ends[points, kinds][place] for sign, kinds in corners) for points in finals
            ]
            if len(set(adds)) > 1:
                by_points[place] = adds
            elif adds[0]:
                constant[place] = adds[0]
        if not by_points:
            return Term(event, constant, None) if constant else None
        lanes: list[int] = []
        values = dict.fromkeys(finals, 0)
        for place, adds in by_points.items():
            for lane, sign in ((place, 1), (~place, -1)):
                if any(add * sign > 0 for add in adds):
                    for points, add in zip(finals, adds, strict=True):
                        values[points] |= max(0, add * sign) << _LANE * len(lanes)
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


def _final(player: int, banker: int, thirds: tuple[int, int]) -> Final:
    """The round from the totals of two cards each; the first of ``thirds`` that is due goes to the Player."""
    natural = player in NATURAL or banker in NATURAL
    rest = iter(thirds)
    third = next(rest) if player_draws(player, banker) else None
    draws = banker_draws(player, banker, third)
    after = (banker + next(rest)) % 10 if draws else banker
    return ((player + (third or 0)) % 10, after, 2 + (third is not None), 2 + draws, natural)


def _next(state: State) -> Iterator[tuple[int, State]]:
    """The points of another of the first four cards, and the state with it."""
    mine, theirs, player, banker = state
    for point in range(CLASSES):
        if mine < 2:
            yield point, (mine + 1, theirs, (player + point) % 10, banker)
        elif theirs < 2:
            yield point, (mine, theirs + 1, player, (banker + point) % 10)


_KEY = tuple((LARGEST + 1) ** point for point in range(CLASSES))
"""Sums of these are different for different multisets."""


@cache
def _keys(size: int) -> list[int]:
    """The key of each multiset in the order of :func:`multisets`."""
    return [
        sum(map(mul, (*parts(low_size)[low], *parts(size - low_size)[high]), _KEY))
        for low_size, low, high in multisets(size)
    ]
