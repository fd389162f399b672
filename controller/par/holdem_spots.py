"""A house's own spots of hold'em, exactly: first five, best five, the dealer's hand, and how the two compare.

What a condition asks for decides what must be counted:

- the first five alone: 2,598,960 of them;
- the final hands alone: every board and hand with the dealer hands that remain, grouped by what the spot asks
  of the dealer (his category, whether he qualifies) and by whether they are weaker, equal or stronger;
- both: the same, carried from the boards back to every flop, where the first five are known.

As for Ante and Play a board counts as one without suits, plus the difference that flushes in a suit make.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from typing import NamedTuple

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem
from controller.games.house_spots import HouseSpot
from controller.par.answer import SpotReturn, tallied
from controller.par.first_fives import first_fives
from controller.par.holdem_boards import DEALERS
from controller.par.holdem_meetings import VERSUS, Dealers, Meetings
from controller.par.holdem_play import felt
from controller.par.holdem_reached import FirstFive, called, reached
from controller.vocabulary.outcomes import LOSE, SpotOutcome

FIRST_FIVE = frozenset({"first_five", "first_five_rank"})
ALL_SHOWDOWNS = comb(52, 5) * comb(47, 2) * DEALERS
SPLITS = comb(5, 3)
"""Flops that a board can have had."""

Results = tuple[SpotOutcome, ...]
"""How a spot ends on final hands: by category, ``VERSUS`` and group of dealers, the last one fastest."""


class Asked(NamedTuple):
    """First fives that do not differ to a spot, and how it ends with them."""

    spot: str
    first_fives: frozenset[FirstFive] | None
    """None: all of them."""
    results: Results


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
    asked = [one for name, spot in final.items() for one in _asked(name, spot, groups)]
    groups, asked = _merged(groups, asked)
    counted = _counted(game.least_qualifying, groups, asked, versus="vs_dealer" in asks) if asked else {}
    for name in final:
        mine = [one for one in asked if one.spot == name]
        ends: list[tuple[SpotOutcome, int]] = []
        for one in mine:
            ends += zip(one.results, counted[one.first_fives], strict=True)
        splits = SPLITS if final[name].asks & FIRST_FIVE else 1
        won = [(result, ways) for result, ways in ends if result != LOSE and ways]
        lost = ALL_SHOWDOWNS * splits - sum(ways for _, ways in won)
        found[name] = tallied([*won, (LOSE, lost)])
    return {name: found[name] for name in spots}


def _counted(
    least_qualifying: int, groups: Sequence[Dealers], asked: Sequence[Asked], *, versus: bool
) -> dict[frozenset[FirstFive] | None, list[int]]:
    """After each kind of first fives that is asked for the showdowns in the order of :data:`Results`."""
    kinds = list(dict.fromkeys(one.first_fives for one in asked))
    plain, suited = felt(least_qualifying)
    of_ranks, of_suit = reached(plain, suited, kinds)
    meetings = Meetings(plain, groups, versus=versus)
    met = meetings.count(plain, of_ranks) + meetings.count(suited, of_suit)
    return {kind: [int(ways) for ways in each.ravel()] for kind, each in zip(kinds, met, strict=True)}


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


def _asked(name: str, spot: HouseSpot, groups: Sequence[Dealers]) -> list[Asked]:
    """What must be counted for a spot, where it does not always lose."""
    by_results: dict[Results, set[FirstFive]] = {}
    for first in first_five_ways() if spot.asks & FIRST_FIVE else [("", "")]:
        facts = first_facts(first)
        results = tuple(
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
        if any(result != LOSE for result in results):
            by_results.setdefault(results, set()).add(first)
    whole = not spot.asks & FIRST_FIVE
    return [Asked(name, None if whole else frozenset(fives), end) for end, fives in by_results.items()]


def _merged(groups: Sequence[Dealers], asked: Sequence[Asked]) -> tuple[list[Dealers], list[Asked]]:
    """Neighbouring groups of dealers that make no difference to any spot are one: fewer are to be counted."""
    size = len(groups)
    first = [
        place
        for place in range(size)
        if place == 0 or any(one.results[place::size] != one.results[place - 1 :: size] for one in asked)
    ]
    last = [*(place - 1 for place in first[1:]), size - 1]
    ends = [(groups[start], groups[end]) for start, end in zip(first, last, strict=True)]
    fewer = [Dealers(one.start, one.category, other.last, one.qualifies) for one, other in ends]
    kept = [tuple(end for at, end in enumerate(one.results) if at % size in first) for one in asked]
    return fewer, [
        Asked(one.spot, one.first_fives, results) for one, results in zip(asked, kept, strict=True)
    ]
