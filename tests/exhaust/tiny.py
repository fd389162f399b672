"""Tiny games: the real rules with a deck that is only just large enough, so that a search sees all of it.

Each game as its document has it, and with the settings that change most. The watch for factory order is off:
a tiny deck has no order that chance could not give it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import cache

import msgspec

from controller.games.baccarat import Baccarat
from controller.games.casino_holdem import CasinoHoldem
from controller.games.game import Game
from controller.games.paytable import PayTable
from controller.games.registry import build_game
from controller.games.two_card_action import TwoCardAction
from controller.games.two_cards_high import TwoCardsHigh
from controller.round import turn
from controller.vocabulary.cards import Card
from controller.vocabulary.configuration import GameSettings

TABLES = (
    "2-card-action layout=C shoe.unshuffled=off",
    "2-card-action layout=A void=supervisor round.open=auto round.settle=auto core.shoe_numbered=no"
    " shoe.unshuffled=off",
    "baccarat decks=1 shoe.unshuffled=off",
    "baccarat decks=1 void=automatic squeeze=yes round.close=first_card shoe.unshuffled=off",
    "baccarat decks=1 round.await_book=settlement shoe.unshuffled=off",
    "two-cards-high seats=2 shoe.unshuffled=off",
    "casino-holdem round.decision_s=20 shoe.kind=continuous shoe.unshuffled=off",
)


def cards(text: str) -> tuple[Card, ...]:
    """``8S 5C`` as cards."""
    return tuple(Card(word) for word in text.split())


DECKS = {
    TwoCardAction.name: cards("8S 5C 9H"),
    TwoCardsHigh.name: cards("5S 2H 3D AC 2C TH 7S TD 8C 9C 6S 4S AH 2D 9S 3C"),
    Baccarat.name: cards("2S 7C 3D KH 9S 8D 6C"),
    CasinoHoldem.name: cards("AS KS 2H 3H 4C 5C QS JS TS 6D 7D 9D"),
}


@cache
def tiny_class(kind: type[Game]) -> type[Game]:
    """The same game with its tiny deck; it needs no layout of many decks."""
    return type(f"Tiny{kind.__name__}", (kind,), {"deck": DECKS[kind.name], "__doc__": kind.__doc__})


@cache
def built(key: bytes) -> Game:
    """In place of the table's own way from a configuration to a game."""
    settings, pay_table = msgspec.json.decode(key, type=tuple[GameSettings, PayTable | None])
    real = build_game(settings, pay_table)
    given = {field.name: getattr(real, field.name) for field in fields(real)}
    return tiny_class(type(real))(**{**given, "decks": 1})


@contextmanager
def tiny_games() -> Iterator[None]:
    """Tables play tiny games in here."""
    before = turn._built
    turn._built = built
    try:
        yield
    finally:
        turn._built = before
