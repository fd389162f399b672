"""The rounds of any game of few cards: every deal by the game's own deal plan, settled by its own rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import perm

from controller.games.game import BURN, Dealt, Game
from controller.odds.spot_ways import SpotWays
from controller.vocabulary.cards import Card
from controller.vocabulary.errors import ConfigurationError

MOST_CARDS = 3
"""52^3 deals are a second; a game of more cards brings a count of its own."""


def walked_ways(game: Game, remaining: Mapping[Card, int]) -> dict[str, SpotWays]:
    """The ways of every spot over ordered deals of ``cards_needed`` cards from those that are left; a shorter
    deal counts for all that begin so."""
    wins: dict[str, dict[str, int]] = {spot: {} for spot in game.spots()}
    pushes = dict.fromkeys(wins, 0)
    total = perm(sum(remaining.values()), game.cards_needed)
    for dealt, ways in _deals(game, remaining, [], 1):
        for spot, result in game.bets(dealt).items():
            if result.pays is not None:
                wins[spot][result.pays] = wins[spot].get(result.pays, 0) + ways
            elif result.result == "push":
                pushes[spot] += ways
    return {spot: SpotWays(won, pushes[spot], total) for spot, won in wins.items()}


def _deals(
    game: Game, remaining: Mapping[Card, int], dealt: list[Dealt], ways: int
) -> Iterator[tuple[list[Dealt], int]]:
    """Every complete deal by kinds of card, with the number of ordered draws that begin with it."""
    position = game.next_position(dealt)
    if position is None:
        left = sum(remaining.values()) - len(dealt)
        yield dealt, ways * perm(left, game.cards_needed - len(dealt))
        return
    if position == BURN:
        raise ConfigurationError(f"game.name: the return of {game.name} is counted without burn cards")
    drawn = [one.card for one in dealt]
    for card, there in remaining.items():
        copies = there - drawn.count(card)
        if copies > 0:
            yield from _deals(game, remaining, [*dealt, Dealt(position, card)], ways * copies)
