"""Two Cards High: the main and the side wager from the cards that are left.

The seats are alike before a card is seen, so one seat stands for all. Both wagers go by the spread of a
hand, how many cards it has of each of the ten ranks; the side wager counts the hands of one suit apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import comb, prod

from controller.games.two_cards_high import HAND_SIZE, POINTS, Standing, TwoCardsHigh, best_standing, side_row
from controller.odds.composition import OddsError, counts_of
from controller.odds.counting import Counting
from controller.odds.multisets import Part, parts
from controller.odds.spot_ways import SpotWays, counted
from controller.vocabulary.cards import DECK_40, SUITS, Card

_RANKS = tuple(POINTS)


def _main(game: TwoCardsHigh, left: Sequence[int]) -> SpotWays:
    """The main wager over all hands of player and dealer."""
    from controller.odds.two_hands import ways_by_kind

    kinds, kind_of = standings()
    ways = ways_by_kind(left, HAND_SIZE, kind_of)
    total = comb(sum(left), HAND_SIZE) * comb(sum(left) - HAND_SIZE, HAND_SIZE)
    met = ((mine, theirs) for mine in range(len(kinds)) for theirs in range(len(kinds)))
    return counted(
        ((game.main_bet(kinds[mine], kinds[theirs]), ways[mine][theirs]) for mine, theirs in met), total
    )


def _side(game: TwoCardsHigh, left: Sequence[int], there: set[Card]) -> SpotWays:
    """The side wager over all hands of the player."""
    results = []
    for spread in spreads(HAND_SIZE):
        ways = prod(comb(cards, held) for cards, held in zip(left, spread, strict=True))
        if not ways:
            continue
        suited = 0
        if max(spread) == 1:
            suited = sum(there.issuperset(in_suit(spread, suit)) for suit in SUITS)
            results.append((game.side_bet(side_row(in_suit(spread, SUITS[0]))), suited))
        results.append((game.side_bet(side_row(mixed(spread))), ways - suited))
    return counted(results, comb(sum(left), HAND_SIZE))


@cache
def spreads(size: int) -> tuple[Part, ...]:
    """Every way to spread so many cards over the ten ranks: five low ones, then five high ones."""
    return tuple(
        (*low, *high)
        for low_size in range(size + 1)
        for high in parts(size - low_size)
        for low in parts(low_size)
    )


@cache
def standings() -> tuple[list[Standing | None], list[int]]:
    """What two cards can be worth, and the place therein of each spread of a hand."""
    worth = [best_standing(_points(spread)) for spread in spreads(HAND_SIZE)]
    kinds: list[Standing | None] = [None, *sorted({standing for standing in worth if standing is not None})]
    return kinds, [kinds.index(standing) for standing in worth]


def _points(spread: Sequence[int]) -> list[int]:
    """The points of a hand."""
    return [POINTS[rank] for rank, held in zip(_RANKS, spread, strict=True) for _ in range(held)]


def in_suit(spread: Sequence[int], suit: str) -> list[Card]:
    """A hand of different ranks, all of one suit."""
    return [Card(rank + suit) for rank, held in zip(_RANKS, spread, strict=True) if held]


def mixed(spread: Sequence[int]) -> list[Card]:
    """A hand of no single suit: the first rank begins with another suit than the rest."""
    hand: list[Card] = []
    for rank, held in zip(_RANKS, spread, strict=True):
        suits = SUITS if hand else SUITS[1:] + SUITS[:1]
        hand += [Card(rank + suit) for suit in suits[:held]]
    return hand


class TwoCardsHighOdds(Counting[TwoCardsHigh]):
    """Every spot by the cards that are left."""

    def spot_ways(
        self, game: TwoCardsHigh, remaining: Mapping[Card, int], *, numpy: bool | None = None
    ) -> dict[str, SpotWays]:
        """Every seat alike; ``remaining`` names all 40 cards of the deck, 0 or 1 of each. numpy is needed.

        :class:`OddsError` with a code of :func:`~controller.odds.composition.counts_of`,
        ``duplicate_card`` or ``insufficient_cards``.
        """
        counts = counts_of(remaining, DECK_40, "card", len(DECK_40))
        if max(counts) > 1:
            raise OddsError("remaining has a card more than once; one deck has one of each", "duplicate_card")
        there = {card for card, count in zip(DECK_40, counts, strict=True) if count}
        if len(there) < game.cards_needed:
            message = f"a round takes {game.cards_needed} cards, {len(there)} left"
            raise OddsError(message, "insufficient_cards")
        left = [sum(card[0] == rank for card in there) for rank in _RANKS]
        by_wager = {"main": _main(game, left), "side": _side(game, left, there)}
        if game.pay_table.spots:
            from controller.odds.two_cards_high_spots import house_ways

            by_wager |= house_ways(game, left, there)
        return {spot: by_wager[game.wager(spot)] for spot in game.spots()}


ODDS = TwoCardsHighOdds()
