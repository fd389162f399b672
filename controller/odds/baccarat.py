"""Baccarat: exact odds of all eight spots from what is left, before the deal and after every card.

What is counted are orders of the unseen cards: of as many as complete six, or of all where fewer are left. So
every spot has a whole number of ways out of one total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from math import perm
from reprlib import repr as shown
from typing import Protocol

from controller.games.baccarat import POINTS, SPOTS, Baccarat
from controller.odds import plain
from controller.odds.coefficients import MOST_KNOWN
from controller.odds.composition import OddsError, card_counts, rank_counts
from controller.odds.counting import Counting, Line, cards
from controller.odds.multisets import LARGEST
from controller.odds.pairs import SEEN, pair_ways
from controller.odds.prices import DEFAULT_MARGIN, PUSHING, Margin, Odds, Prices, prices
from controller.odds.spot_ways import SpotWays
from controller.odds.tableau import OUTCOMES, cards_of, outcome
from controller.vocabulary.cards import DECK_52, RANKS, Card

_POINTS = tuple(POINTS[rank] for rank in RANKS)


class CountWays(Protocol):
    """How the sum over multisets is done."""

    def __call__(self, known: int, state: int, counts: Sequence[int]) -> list[int]:
        """Orders of 6 - ``known`` unseen cards by outcome, of ``counts`` unseen cards of each point class.

        ``known`` is 0 to 4. ``state`` is 0 before the deal, Player's points after one card, and from two
        cards on 10 x Player's points so far + Banker's (both modulo ten).
        """
        ...


@cache
def engine(numpy: bool | None = None) -> CountWays:
    """The engine with or without numpy; None takes numpy where it is installed.

    numpy is faster and asks for some 25 MB of memory; both give the same integers.
    """
    if numpy is None:
        numpy = find_spec("numpy") is not None
    if not numpy:
        return plain.outcome_ways
    from controller.odds import arrays

    return arrays.outcome_ways


def baccarat_odds(
    remaining: Mapping[str, int], dealt: Sequence[Card] = (), *, numpy: bool | None = None
) -> Odds:
    """The odds of a round from the unseen cards of each rank and the cards dealt so far, in deal order.

    ``remaining`` names all thirteen ranks and leaves the cards of ``dealt`` out. :class:`OddsError` with a
    code of :func:`~controller.odds.composition.rank_counts`, or ``surplus_card`` where more cards are dealt
    than the round takes, or ``insufficient_cards`` where the round may run out of cards.
    """
    counts = rank_counts(remaining)
    known = [RANKS.index(card[0]) for card in dealt]
    left = sum(counts)
    ways = outcome_ways(counts, known, engine(numpy))
    total = sum(ways)
    pairs = pair_ways(counts, known)
    unit = total // perm(left, max(0, SEEN - len(known)))
    player_pair, banker_pair, both = pairs.player * unit, pairs.banker * unit, pairs.both * unit
    won = (
        sum(ways[0::3]),
        sum(ways[1::3]),
        sum(ways[2::3]),
        player_pair,
        banker_pair,
        player_pair + banker_pair - both,
        sum(ways[0:3]),
        sum(ways[3:]),
    )
    return Odds(dict(zip(SPOTS, won, strict=True)), total)


def outcome_ways(counts: Sequence[int], known: Sequence[int], solve: CountWays) -> list[int]:
    """Ordered ways to each outcome of :mod:`~controller.odds.tableau`, from counts by rank and known ranks.

    A decided round has one way.
    """
    points = [_POINTS[rank] for rank in known]
    by_class = [sum(counts[9:]), *counts[:9]]  # ten and pictures are 0, ace to nine are 1 to 9 (2.4)
    done = outcome(points)
    if done is not None:
        if len(points) > cards_of(done):
            raise OddsError(
                f"dealt has {len(points)} cards, the round takes {cards_of(done)}", "surplus_card"
            )
        return [int(number == done) for number in range(OUTCOMES)]
    if len(points) + sum(counts) < LARGEST:
        return _one_by_one(by_class, points, sum(counts))
    if len(points) > MOST_KNOWN:
        return _one_by_one(by_class, points, LARGEST - len(points))
    return solve(len(points), state_of(points), by_class)


def state_of(points: Sequence[int]) -> int:
    """What the rules ask of up to four cards, as :class:`CountWays` wants it."""
    player = sum(points[0::2]) % 10
    return player if len(points) < 2 else 10 * player + sum(points[1::2]) % 10


def _one_by_one(by_class: Sequence[int], points: list[int], cards: int) -> list[int]:
    """Ways by outcome over all orders of the next ``cards`` cards; :class:`OddsError` where they do not
    suffice."""
    done = outcome(points)
    if done is not None:
        orders = perm(sum(by_class), cards)
        return [orders * (number == done) for number in range(OUTCOMES)]
    if not cards:
        raise OddsError(
            f"the cards left may not complete the round: one more is due after {len(points)}",
            "insufficient_cards",
        )
    ways = [0] * OUTCOMES
    for point, there in enumerate(by_class):
        if there:
            fewer = [count - (place == point) for place, count in enumerate(by_class)]
            after = _one_by_one(fewer, [*points, point], cards - 1)
            ways = [sum_ + there * more for sum_, more in zip(ways, after, strict=True)]
    return ways


class BaccaratOdds(Counting[Baccarat]):
    """All eight spots, from the cards that nobody has seen."""

    def answer(self, line: Line, *, numpy: bool | None = None) -> Prices:
        """``remaining``: unseen cards of each of the 13 ranks; ``dealt``: cards of this round so far in deal
        order, none where it is left out; ``margin``: a share, or one for each spot; left out: 0.05.
        """
        counts = rank_counts(line.get("remaining"))
        margin = line.get("margin", DEFAULT_MARGIN)
        if not isinstance(margin, str | int | float | Mapping):
            raise OddsError(
                f"margin is {shown(margin)}: expected a share from 0 to below 1, as 0.05", "bad_margin"
            )
        dealt = cards(line.get("dealt", []), "dealt")
        odds = baccarat_odds(dict(zip(RANKS, counts, strict=True)), dealt, numpy=numpy)
        return prices(odds, margin)

    def spot_ways(
        self, game: Baccarat, remaining: Mapping[Card, int], *, numpy: bool | None = None
    ) -> dict[str, SpotWays]:
        """By the fixed pay table; Player and Banker push on a tie (2.3.1)."""
        counts = card_counts(remaining, DECK_52, len(DECK_52) * game.deck_counts[-1])
        ways, total = baccarat_odds(_by_rank(dict(zip(DECK_52, counts, strict=True))), numpy=numpy)
        pays = game.pay_table.ratios()
        return {
            spot: SpotWays({pays[spot, "win"]: ways[spot]}, ways["tie"] if spot in PUSHING else 0, total)
            for spot in SPOTS
        }

    def prices(
        self,
        unseen: Mapping[Card, int],
        dealt: Sequence[Card],
        margins: Mapping[str, Margin],
        *,
        least_probability: Margin = 0,
        numpy: bool | None = None,
    ) -> Prices:
        """As the cards that all have seen make them."""
        odds = baccarat_odds(_by_rank(unseen), dealt, numpy=numpy)
        return prices(odds, margins, least_probability=least_probability)


def _by_rank(counts: Mapping[Card, int]) -> dict[str, int]:
    return {rank: sum(count for card, count in counts.items() if card[0] == rank) for rank in RANKS}


ODDS = BaccaratOdds()
