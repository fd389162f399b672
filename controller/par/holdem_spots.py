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
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem
from controller.games.house_spots import HouseSpot
from controller.par.answer import SpotReturn, tallied
from controller.par.card_sets import RANKS, SUIT, SUITED_TYPES, Ints, pair_types, pair_ways
from controller.par.first_fives import first_fives
from controller.par.holdem_boards import (
    BATCH,
    DEALERS,
    PlainBoards,
    SuitedBoards,
    dealers_below,
    held_by_pairs,
)
from controller.par.holdem_flops import Holes, card_of, flops
from controller.par.holdem_play import by_rank_pairs, carried_back, felt
from controller.par.holdem_strengths import of_counts
from controller.vocabulary.outcomes import LOSE, SpotOutcome

FIRST_FIVE = frozenset({"first_five", "first_five_rank"})
VERSUS = ("better", "tie", "worse")
ALL_SHOWDOWNS = comb(52, 5) * comb(47, 2) * DEALERS
SPLITS = comb(5, 3)
"""Flops that a board can have had."""

FirstFive = tuple[str, str]
"""Category and leading rank."""


Floats = npt.NDArray[np.float64]
Results = tuple[SpotOutcome, ...]
"""How a spot ends on final hands: by category, ``VERSUS`` and group of dealers, the last one fastest."""


class Dealers(NamedTuple):
    """Dealer hands from one strength up to the next that are alike to the spots."""

    start: int
    category: str
    last: str
    """The category of the strongest of them; the weakest has ``category``."""
    qualifies: bool


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
        name: tallied((spot.result(_first_facts(one)), ways) for one, ways in first_five_ways().items())
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
    showdowns = Showdowns(game.least_qualifying, groups, versus="vs_dealer" in asks)
    kinds = list(dict.fromkeys(one.first_fives for one in asked))
    counted = dict(zip(kinds, showdowns.count(kinds), strict=True))
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


def first_five_ways() -> Mapping[FirstFive, int]:
    """How many first fives are called so."""
    found: Counter[FirstFive] = Counter()
    for hand, ways in first_fives():
        found[called(poker.strength(hand))] += ways
    return found


def called(strength: int) -> FirstFive:
    return poker.category_of(strength), poker.leading_rank(strength)


def _first_facts(first: FirstFive) -> dict[str, object]:
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
        facts = _first_facts(first)
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


class Showdowns:
    """Final hands and dealers: how often each category meets each group, weaker, equal or stronger."""

    def __init__(self, least_qualifying: int, groups: Sequence[Dealers], *, versus: bool) -> None:
        self._plain, self._suited = felt(least_qualifying)
        self._groups = groups
        self._versus = versus

    def count(self, kinds: Sequence[frozenset[FirstFive] | None]) -> list[list[int]]:
        """Showdowns after these first fives, each in the order of :data:`Results`.

        Where no condition asks for ``vs_dealer`` all are counted as better. With first fives a showdown
        counts for each flop that its board can have had.
        """
        times = [self._times(first_fives) for first_fives in kinds]
        plain = self._met(self._plain, [of_ranks for of_ranks, _ in times])
        suited = self._met(self._suited, [of_suit for _, of_suit in times])
        return [
            [int(number) for number in (one + other).ravel().tolist()]
            for one, other in zip(plain, suited, strict=True)
        ]

    def _times(self, first_fives: frozenset[FirstFive] | None) -> tuple[Ints, Ints]:
        """How often each hand lies on each board after these first fives: without suits, and for one suit."""
        plain, suited = self._plain, self._suited
        if first_fives is None:
            of_ranks = plain.boards.times[:, None] * pair_ways(plain.boards.left)
            of_suit = SUIT * suited.boards.times[:, None] * pair_ways(suited.boards.left)
        else:
            played, in_suit = self._flops_with(first_fives)
            of_ranks, of_suit = carried_back(plain, played), carried_back(suited, in_suit)
        # A board with a suit was counted among the plain ones: take it off there, count it as it is.
        np.subtract.at(of_ranks, suited.plain_board, by_rank_pairs(of_suit))
        return of_ranks, of_suit

    def _met(self, boards: PlainBoards | SuitedBoards, times: Sequence[Ints]) -> list[Floats]:
        """For each of ``times``: category x ``VERSUS`` x group."""
        strengths = self._plain.strengths
        left = boards.boards.left
        starts = [strengths.least(group.start) for group in self._groups[1:]]
        shape = (len(poker.CATEGORIES), len(VERSUS), len(self._groups))
        found = [np.zeros(shape) for _ in times]
        for start in range(0, len(left), BATCH):
            places = slice(start, start + BATCH)
            held = boards.held(places)
            category = strengths.categories[held]
            weaker, up_to, below = dealers_below(held, left[places], starts)
            edges = [np.zeros_like(weaker), *below, np.full_like(weaker, DEALERS)]
            for place, (group, (low, high)) in enumerate(zip(self._groups, pairwise(edges), strict=True)):
                for versus, which, dealers in self._compared(group, category, low, high, weaker, up_to):
                    for into, some in zip(found, times, strict=True):
                        ways = some[places][which] * dealers
                        into[:, versus, place] += _by_category(category[which], ways)
        return found

    def _compared(
        self, group: Dealers, category: Ints, low: Ints, high: Ints, weaker: Ints, up_to: Ints
    ) -> Iterator[tuple[int, npt.NDArray[np.bool_], Ints]]:
        """A place in ``VERSUS``, the boards and hands where dealers of the group are so, and how many are.

        Of a dealer in another category than the hand's it is known who is better.
        """
        if not self._versus:
            everywhere = np.ones(category.shape, dtype=bool)
            yield 0, everywhere, (high - low).ravel()
            return
        least, most = map(poker.CATEGORIES.index, (group.category, group.last))
        for versus, far in ((0, category > most), (2, category < least)):
            if far.any():
                yield versus, far, (high - low)[far]
        close = (category >= least) & (category <= most)
        low, high, weaker, up_to = (each[close] for each in (low, high, weaker, up_to))
        weaker, up_to = np.clip(weaker, low, high), np.clip(up_to, low, high)
        yield 0, close, weaker - low
        yield 1, close, up_to - weaker
        yield 2, close, high - up_to

    def _flops_with(self, first_fives: frozenset[FirstFive]) -> tuple[Ints, Ints]:
        """How often a flop with a hand makes one of the first fives: without suits, and for one suit."""
        plain, suited = self._plain, self._suited
        by_ranks = self._by_ranks(first_fives)
        played = np.zeros((len(plain.flops), len(pair_types(RANKS).low)), dtype=np.int64)
        in_suit = np.zeros((len(suited.flops), len(pair_types(SUITED_TYPES).low)), dtype=np.int64)
        for flop in flops():
            holes = Holes(flop)
            place = int(plain.flops.number(flop.ranks))
            made = by_ranks[place, holes.rank_pairs()]
            suits = {suit for _, suit in flop.cards}
            if len(suits) == 1:
                for hand in np.flatnonzero(holes.of_suit(0)):
                    cards = [*map(card_of, flop.cards), *holes.cards(int(hand))]
                    made[hand] = called(poker.strength(cards)) in first_fives
            np.add.at(played[place], holes.rank_pairs(), flop.alike * made)
            for suit in suits:
                number = int(suited.flops.number(*flop.by_suit(suit)))
                np.add.at(in_suit[number], holes.type_pairs(suit), flop.alike * made)
        return played, in_suit

    def _by_ranks(self, first_fives: frozenset[FirstFive]) -> npt.NDArray[np.bool_]:
        """Flops by ranks x pairs of ranks: whether they make one of the first fives, flushes left out."""
        both = self._plain.flops.counts[:, None, :] + held_by_pairs(RANKS)
        made = [
            max(counts) <= SUIT and called(of_counts(counts)) in first_fives
            for counts in both.reshape(-1, RANKS).tolist()
        ]
        return np.array(made).reshape(both.shape[:2])


def _by_category(category: Ints, ways: Ints) -> Floats:
    """Sums by category. Floating point is exact: all of them are whole and below 2^53."""
    sums: Floats = np.bincount(category, ways, len(poker.CATEGORIES)).astype(np.float64)
    return sums
