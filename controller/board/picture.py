"""What a page draws: the picture of a table, and its one line on the floor. Pure."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Literal, NamedTuple

import msgspec

from controller.board.act import game_of, next_act
from controller.board.floor import SeenTable
from controller.games.game import Dealt, Game
from controller.odds.counting import FaceUp, odds_of
from controller.vocabulary.cards import Card, parse_card
from controller.vocabulary.errors import CardError
from controller.vocabulary.parts import HandStrength


class StrengthAsked(NamedTuple):
    """A game, and the cards that the strength of its hands is counted from."""

    game: type[Game]
    face_up: FaceUp


class Silence(msgspec.Struct, frozen=True):
    """Why nothing new can come of a table, and since when where that is known."""

    why: Literal["lost", "offline"]
    since: str | None = None


def silence_of(seen: SeenTable, since: str | None) -> Silence | None:
    """A table whose controller is gone; ``since`` is when the board heard of it, if it did."""
    state = seen.status.get("state") if seen.status else None
    if state == "lost" or state == "offline":
        return Silence(state, since)
    return None


def table_picture(
    seen: SeenTable, silence: Silence | None, strength: Mapping[str, HandStrength] | None
) -> bytes:
    """The whole table as JSON: its display as it came, its alerts, and what we read off them.

    The retained result stands in the display too; without it here one card is one picture.
    """
    display = seen.display or {}
    return msgspec.json.encode(
        {
            "site": seen.key.site,
            "table": seen.key.table,
            "mode": seen.key.mode,
            "path": seen.key.path,
            "silence": silence,
            "display": seen.display,
            "alerts": list(seen.alerts.values()),
            "act": next_act(display) if display else None,
            "sets": sets_of(display),
            "strength": strength,
        }
    )


def floor_line(seen: SeenTable, silence: Silence | None) -> bytes:
    """The table on the floor page: state, phase, last result and alerts."""
    shown = seen.display or {}
    hold, void, last = shown.get("hold"), shown.get("void"), shown.get("last_results")
    keys = (
        "game",
        "layout",
        "phase",
        "light",
        "game_number",
        "round",
        "countdown_end",
        "last_round",
        "may_open",
        "dealer",
    )
    return msgspec.json.encode(
        {
            "site": seen.key.site,
            "table": seen.key.table,
            "mode": seen.key.mode,
            "path": seen.key.path,
            "silence": silence,
            "known": seen.display is not None,
            **{key: shown.get(key) for key in keys},
            "hold": hold.get("reason") if isinstance(hold, Mapping) else None,
            "void": void.get("reason") if isinstance(void, Mapping) else None,
            "last": last[-1] if isinstance(last, list) and last else None,
            "alerts": list(seen.alerts.values()),
        }
    )


def strength_asked(display: Mapping[str, object] | None) -> StrengthAsked | None:
    """What the strength of the hands is counted from, while the players decide and until the result."""
    if display is None or display.get("result") is not None or display.get("void") is not None:
        return None
    game = game_of(display)
    face_up = None if game is None else odds_of(game).face_up(_face_up(display))
    return None if game is None or face_up is None else StrengthAsked(game, face_up)


def sets_of(display: Mapping[str, object]) -> dict[str, tuple[Card, ...]] | None:
    """The cards that play of each hand that is turned up, in a game where not all of them do."""
    game = game_of(display)
    if game is None:
        return None
    hands: dict[str, list[Card]] = {}
    for one in _face_up(display):
        if one.card in game.deck:
            hands.setdefault(one.position, []).append(one.card)
    return game.cards_that_play(hands)


def _face_up(display: Mapping[str, object]) -> list[Dealt]:
    """The cards that have a name, in deal order; what is no card is left out."""
    cards = display.get("cards")
    dealt = []
    for one in cards if isinstance(cards, list) else ():
        if isinstance(one, Mapping):
            with contextlib.suppress(CardError):
                dealt.append(Dealt(str(one.get("position")), parse_card(one.get("card"))))
    return dealt
