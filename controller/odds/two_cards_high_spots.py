"""A house's own spots of Two Cards High: the hand of a seat, its side wager and the dealer's hand at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, prod

from controller.games.two_cards_high import (
    HAND_SIZE,
    SideRow,
    Standing,
    TwoCardsHigh,
    main_result,
    shown,
    side_row,
)
from controller.odds.multisets import Part
from controller.odds.spot_ways import SpotWays, counted
from controller.odds.two_cards_high import in_suit, mixed, spreads, standings
from controller.odds.two_hands import ways_by_kind
from controller.vocabulary.cards import SUITS, Card
from controller.vocabulary.outcomes import SpotOutcome


def house_ways(game: TwoCardsHigh, left: Sequence[int], there: set[Card]) -> dict[str, SpotWays]:
    """By wager, from the cards of each rank and those that there are."""
    spots = game.pay_table.spots
    results: dict[str, list[tuple[SpotOutcome, int]]] = {name: [] for name in spots}
    for mine, side, dealer, ways in _showdowns(left, there):
        facts = _facts(mine, side, dealer)
        for name, spot in spots.items():
            results[name].append((spot.result(facts), ways))
    total = comb(sum(left), HAND_SIZE) * comb(sum(left) - HAND_SIZE, HAND_SIZE)
    return {name: counted(ended, total) for name, ended in results.items()}


def _facts(mine: Standing | None, side: SideRow | None, dealer: Standing | None) -> Mapping[str, object]:
    names = ("qualifies", "kind", "rank")
    return {
        **dict(zip(names, shown(mine), strict=True)),
        "result": main_result(mine, dealer),
        "side": side,
        **dict(zip((f"dealer.{name}" for name in names), shown(dealer), strict=True)),
    }


def _showdowns(
    left: Sequence[int], there: set[Card]
) -> list[tuple[Standing | None, SideRow | None, Standing | None, int]]:
    """What the seat's two cards are worth, its side wager's row, the dealer's two cards, and the deals of it.

    A hand of five ranks may be of one suit, which changes nothing for the dealer: he draws from the same
    ranks. So each such spread is a kind of its own, of which some deals are suited.
    """
    worth, worth_of = standings()
    all_spreads = spreads(HAND_SIZE)
    kinds: dict[tuple[int, SideRow | None, Part | None], int] = {}
    kind_of = [
        kinds.setdefault(
            (worth_of[place], side_row(mixed(spread)), spread if max(spread) == 1 else None), len(kinds)
        )
        for place, spread in enumerate(all_spreads)
    ]
    ways = ways_by_kind(left, HAND_SIZE, kind_of)
    found = []
    for (standing, side, spread), mine in kinds.items():
        by_dealer = [0] * len(worth)
        for (other, _, _), theirs in kinds.items():
            by_dealer[other] += ways[mine][theirs]
        hands = 1 if spread is None else prod(cards for cards, held in zip(left, spread, strict=True) if held)
        suited = 0 if spread is None else sum(there.issuperset(in_suit(spread, suit)) for suit in SUITS)
        for dealer, number in enumerate(by_dealer):
            of_suit = number * suited // hands if suited else 0
            found.append((worth[standing], side, worth[dealer], number - of_suit))
            if spread is not None and of_suit:
                found.append((worth[standing], side_row(in_suit(spread, SUITS[0])), worth[dealer], of_suit))
    return found
