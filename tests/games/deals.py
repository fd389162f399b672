"""Deals for the tests of the games: cards in deal order become a deal, as the game's own plan places them."""

from __future__ import annotations

from typing import Any

import msgspec

from controller.games.game import Dealt, Game
from controller.vocabulary.cards import parse_card
from controller.vocabulary.outcomes import SpotOutcome


def deal(game: Game, cards: str) -> list[Dealt]:
    """A complete deal of these cards, in deal order."""
    dealt: list[Dealt] = []
    for text in cards.split():
        position = game.next_position(dealt)
        assert position is not None, f"{text} is a card too many"
        dealt.append(Dealt(position, parse_card(text)))
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
