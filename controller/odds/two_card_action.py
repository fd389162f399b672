"""2 Card Action: every spot from the cards that are left, over all pairs of cards (3.5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb

from controller.games.game import Dealt
from controller.games.two_card_action import TwoCardAction
from controller.odds.composition import OddsError, counts_of
from controller.odds.counting import Counting
from controller.odds.spot_ways import SpotWays
from controller.vocabulary.cards import DECK_52, Card

_PAIRS = tuple(combinations_with_replacement(range(len(DECK_52)), 2))

_Places = Mapping[str, Sequence[int]]
"""How a spot ends, what it pays or ``push`` -> the places in ``_PAIRS`` where it does."""


@lru_cache(maxsize=4)
def _ends_by_spot(game: TwoCardAction) -> Mapping[str, _Places]:
    """For each spot where it wins, and what, or pushes. The game's own do not ask which card was first."""
    found: dict[str, dict[str, list[int]]] = {spot: defaultdict(list) for spot in game.spots()}
    for place, (first, second) in enumerate(_PAIRS):
        for one, other in ((first, second), (second, first)) if game.pay_table.spots else ((first, second),):
            bets = game.bets([Dealt("first", DECK_52[one]), Dealt("second", DECK_52[other])])
            for spot, result in bets.items():
                if result.result != "lose":
                    found[spot][result.pays or result.result].append(place)
    return found


class TwoCardActionOdds(Counting[TwoCardAction]):
    """Every spot by the cards that are left."""

    def spot_ways(
        self, game: TwoCardAction, remaining: Mapping[Card, int], *, numpy: bool | None = None
    ) -> dict[str, SpotWays]:
        """The ways of every spot of the layout; ``remaining`` names all 52 cards.

        :class:`OddsError` with a code of :func:`~controller.odds.composition.counts_of`, or
        ``insufficient_cards``.
        """
        counts = counts_of(remaining, DECK_52, "card", len(DECK_52) * game.deck_counts[-1])
        if sum(counts) < 2:
            raise OddsError(f"a round takes 2 cards, {sum(counts)} left", "insufficient_cards")
        orders = 2 if game.pay_table.spots else 1
        total = comb(sum(counts), 2) * orders
        ways = [
            counts[first] * counts[second] if first != second else comb(counts[first], 2)
            for first, second in _PAIRS
        ]
        found = {}
        for spot, by_end in _ends_by_spot(game).items():
            ends = {end: sum(map(ways.__getitem__, places)) for end, places in by_end.items()}
            pushes = ends.pop("push", 0)
            found[spot] = SpotWays({pays: number for pays, number in ends.items() if number}, pushes, total)
        return found


ODDS = TwoCardActionOdds()
