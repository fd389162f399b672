"""The return of any game of few cards: walk every deal by the game's own deal plan and ask its own rules."""

from __future__ import annotations

from collections.abc import Iterator
from math import perm

from controller.games.game import BURN, Dealt, Game
from controller.par.answer import SpotReturn, Tally
from controller.vocabulary.errors import ConfigurationError

MOST_CARDS = 3
"""52^3 deals are a second; a game of more cards brings a method of its own."""


def walked_returns(game: Game) -> dict[str, SpotReturn]:
    """Exact, over ordered deals of ``cards_needed`` cards; a shorter deal counts for all that begin so."""
    if game.cards_needed > MOST_CARDS:
        raise ConfigurationError(
            f"game.name: {game.name} deals {game.cards_needed} cards and has no method in controller.par"
        )
    tally = Tally()
    for dealt, ways in _deals(game, [], 1):
        for spot, result in game.bets(dealt).items():
            tally.add(spot, result, ways)
    return tally.returns()


def _deals(game: Game, dealt: list[Dealt], ways: int) -> Iterator[tuple[list[Dealt], int]]:
    """Every complete deal by kinds of card, with the number of ordered draws that begin with it."""
    position = game.next_position(dealt)
    if position is None:
        left = len(game.deck) * game.decks - len(dealt)
        yield dealt, ways * perm(left, game.cards_needed - len(dealt))
        return
    if position == BURN:
        raise ConfigurationError(f"game.name: the return of {game.name} is counted without burn cards")
    drawn = [one.card for one in dealt]
    for card in game.deck:
        copies = game.decks - drawn.count(card)
        if copies > 0:
            yield from _deals(game, [*dealt, Dealt(position, card)], ways * copies)
