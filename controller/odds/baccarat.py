"""Baccarat: exact odds of all eight spots from what is left, before the deal and after every card.

What is counted are orders of the unseen cards: of as many as complete six, or of all where fewer are left. So
every spot has a whole number of ways out of one total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from math import perm
from typing import NamedTuple, Protocol

from controller.games.baccarat import POINTS, SPOTS
from controller.odds import plain
from controller.odds.coefficients import MOST_KNOWN
from controller.odds.composition import OddsError, rank_counts
from controller.odds.multisets import LARGEST
from controller.odds.pairs import SEEN, pair_ways
from controller.odds.tableau import OUTCOMES, cards_of, outcome
from controller.vocabulary.cards import RANKS, Card

_POINTS = tuple(POINTS[rank] for rank in RANKS)


class Odds(NamedTuple):
    """``ways[spot]`` of ``total`` equally likely ways make the spot win.

    In ``ways["tie"]`` of them Player and Banker push.
    """

    ways: Mapping[str, int]
    total: int


class Engine(Protocol):
    """How the sum over multisets is done."""

    def __call__(self, known: int, state: int, counts: Sequence[int]) -> list[int]:
        """Orders of 6 - ``known`` unseen cards by outcome, of ``counts`` unseen cards of each point class.

        ``known`` is 0 to 4. ``state`` is 0 before the deal, Player's points after one card, and from two
        cards on 10 x Player's points so far + Banker's (both modulo ten).
        """
        ...


@cache
def engine(numpy: bool | None = None) -> Engine:
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


def outcome_ways(counts: Sequence[int], known: Sequence[int], solve: Engine) -> list[int]:
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
    """What the rules ask of up to four cards, as :class:`Engine` wants it."""
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
