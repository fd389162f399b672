"""A house's own spots of hold'em, exactly: first five, best five, the dealer's hand, and how the two compare.

What a condition asks for decides what must be counted:

- the first five alone: 2,598,960 of them;
- the final hands alone: every board and hand with the dealer hands that remain, grouped by what the spot asks
  of the dealer (his category, whether he qualifies) and by whether they are weaker, equal or stronger;
- both: the same, for each flop that the board can have had, which with the hand makes the first five.

All spots share one count: the first fives, and the dealers, are told apart just as far as some spot does.

As for Ante and Play a board counts as one without suits, plus the difference that flushes in a suit make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from math import comb

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem
from controller.games.house_spots import HouseSpot, SpotRow
from controller.par.answer import SpotReturn, tallied
from controller.par.first_fives import first_fives
from controller.par.holdem_boards import DEALERS
from controller.par.holdem_meetings import VERSUS, Dealers, Meetings
from controller.par.holdem_play import felt
from controller.par.holdem_reached import FLOPS, FirstFive, FirstFives, called, dealt
from controller.vocabulary.outcomes import LOSE, SpotOutcome

FIRST_FIVE = frozenset({"first_five", "first_five_rank"})
ALL_SHOWDOWNS = comb(52, 5) * comb(47, 2) * DEALERS
Results = tuple[SpotOutcome, ...]
"""How a spot ends on final hands: by category, ``VERSUS`` and group of dealers, the last one fastest."""

Asked = Mapping[str, Results]
"""The results of each spot, after some first fives."""


def house_returns(game: CasinoHoldem) -> dict[str, SpotReturn]:
    """The return of each of the house's spots, by wager; the hands are alike."""
    spots = game.pay_table.spots
    found = {
        name: tallied((spot.result(first_facts(one)), ways) for one, ways in first_five_ways().items())
        for name, spot in spots.items()
        if spot.asks <= FIRST_FIVE
    }
    final = {name: spot for name, spot in spots.items() if name not in found}
    if not final:
        return found
    asks = frozenset[str]().union(*(spot.asks for spot in final.values()))
    groups = dealer_groups(game.least_qualifying, asks)
    fives = list(first_five_ways())
    results = [_results(spot, fives, groups) for spot in final.values()]
    asked: list[Asked] = [dict(zip(final, one, strict=True)) for one in zip(*results, strict=True)]
    groups, asked = _merged(groups, asked)
    # First fives that make no difference to any spot are one kind.
    alike = list({tuple(one.values()): one for one in asked}.values())
    kinds = {first: alike.index(one) for first, one in zip(fives, asked, strict=True)}
    counted = _counted(game.least_qualifying, groups, kinds, versus="vs_dealer" in asks)
    for name in final:
        ends: Counter[SpotOutcome] = Counter()
        for one, ways in zip(alike, counted, strict=True):
            for result, number in zip(one[name], ways, strict=True):
                ends[result] += number
        # A spot that does not ask for the first five is told without the flops.
        splits = 1 if final[name].asks & FIRST_FIVE or len(alike) == 1 else FLOPS
        won = [(result, ways // splits) for result, ways in ends.items() if result != LOSE and ways]
        found[name] = tallied([*won, (LOSE, ends[LOSE] // splits)])
    return {name: found[name] for name in spots}


def _counted(
    least_qualifying: int, groups: Sequence[Dealers], kinds: Mapping[FirstFive, int], *, versus: bool
) -> list[list[int]]:
    """After each kind of first fives the showdowns in the order of :data:`Results`."""
    plain, suited = felt(least_qualifying)
    of_ranks, of_suit = dealt(plain, suited)
    fives = FirstFives(plain, kinds) if any(kinds.values()) else None
    meetings = Meetings(plain, groups, versus=versus)
    met = meetings.count(plain, of_ranks, fives) + meetings.count(suited, of_suit, fives)
    return [[int(ways) for ways in each.ravel()] for each in met]


@cache
def first_five_ways() -> Mapping[FirstFive, int]:
    """How many first fives are called so."""
    found: Counter[FirstFive] = Counter()
    for hand, ways in first_fives():
        found[called(poker.strength(hand))] += ways
    return found


def first_facts(first: FirstFive) -> dict[str, object]:
    """The same as the fields of a row."""
    return {"first_five": first[0], "first_five_rank": first[1]}


def dealer_groups(least_qualifying: int, asks: frozenset[str]) -> list[Dealers]:
    """From the weakest on; one group where nothing is asked of the dealer."""
    starts = {poker.pack(poker.HIGH_CARD)}
    if "dealer.category" in asks:
        starts |= {poker.pack(category) for category in range(len(poker.CATEGORIES))}
    if "dealer.qualifies" in asks:
        starts.add(least_qualifying)
    ordered = sorted(starts)
    last = [poker.category_of(start - 1) for start in ordered[1:]]
    return [
        Dealers(start, poker.category_of(start), strongest, start >= least_qualifying)
        for start, strongest in zip(ordered, [*last, poker.CATEGORIES[-1]], strict=True)
    ]


def _results(spot: HouseSpot, fives: Sequence[FirstFive], groups: Sequence[Dealers]) -> list[Results]:
    """How a spot ends after each of the first fives; it is asked once for those that fit the same rows."""
    conditions = [
        SpotRow({name: wanted for name, wanted in row.when.items() if name in FIRST_FIVE})
        for row in spot.rows
    ]
    known: dict[tuple[bool, ...], Results] = {}
    found = []
    for first in fives:
        facts = first_facts(first)
        fit = tuple(one.fits(facts) for one in conditions)
        if fit not in known:
            known[fit] = _after(spot, facts, groups)
        found.append(known[fit])
    return found


def _after(spot: HouseSpot, facts: Mapping[str, object], groups: Sequence[Dealers]) -> Results:
    return tuple(
        spot.result(
            {
                **facts,
                "category": category,
                "vs_dealer": versus,
                "dealer.category": group.category,
                "dealer.qualifies": group.qualifies,
            }
        )
        for category in poker.CATEGORIES
        for versus in VERSUS
        for group in groups
    )


def _merged(groups: Sequence[Dealers], asked: Sequence[Asked]) -> tuple[list[Dealers], list[Asked]]:
    """Neighbouring groups of dealers that make no difference to any spot are one: fewer are to be counted."""
    size = len(groups)
    each = {results for one in asked for results in one.values()}
    first = [
        place
        for place in range(size)
        if place == 0 or any(results[place::size] != results[place - 1 :: size] for results in each)
    ]
    last = [*(place - 1 for place in first[1:]), size - 1]
    ends = [(groups[start], groups[end]) for start, end in zip(first, last, strict=True)]
    fewer = [Dealers(one.start, one.category, other.last, one.qualifies) for one, other in ends]
    kept = {results: tuple(end for at, end in enumerate(results) if at % size in first) for results in each}
    return fewer, [{name: kept[results] for name, results in one.items()} for one in asked]
