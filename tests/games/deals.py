"""Deals for the tests of the games: cards in deal order become a deal, as the game's own plan places them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from controller.games.game import Dealt, Game
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.outcomes import SpotOutcome


def deal(game: Game, cards: str) -> list[Dealt]:
    """A complete deal of exactly these cards, in deal order."""
    given = [parse_card(text) for text in cards.split()]
    dealt = dealt_of(game, given)
    assert len(dealt) == len(given), f"{given[len(dealt)]} is a card too many"
    return dealt


def dealt_of(game: Game, cards: Sequence[Card]) -> list[Dealt]:
    """A complete deal of the first of these cards."""
    dealt: list[Dealt] = []
    for card in cards:
        position = game.next_position(dealt)
        if position is not None:
            dealt.append(Dealt(position, card))
    assert game.next_position(dealt) is None, f"the deal goes on with {game.next_position(dealt)}"
    return dealt


def bets(game: Game, cards: str) -> dict[str, str]:
    """Every spot and how it ended: the ratio of a win, else the word."""
    return {spot: ended(result) for spot, result in game.bets(deal(game, cards)).items()}


def ended(result: SpotOutcome) -> str:
    """The ratio of a win, else the word; a win without a ratio is a mistake."""
    if result.result == "win":
        assert result.pays is not None
        return result.pays
    assert result.pays is None
    return result.result


def told(answer: object) -> dict[str, Any]:
    """An answer as it is written."""
    values: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(answer))
    return values
