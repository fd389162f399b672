"""Which games there are, and how a configuration becomes a game.

A game is found by its name: ``two-cards-high`` is the class of that name in the module, or package,
``controller.games.two_cards_high``; a digit is spelled (``2-card-action``: ``two_card_action``). A table
imports the game that it plays and no other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from types import ModuleType

from controller import games as room
from controller.games.game import Game
from controller.games.paytable import PayTable, builtin_pay_table, check_game, check_rows
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.shown import meant

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_COMMON = frozenset({"name", "decks", "layout", "void"})


def module_name(game: str) -> str:
    """The name of a game's module: in this package, and of what other rooms keep for the game."""
    return re.sub(r"\d", lambda digit: _DIGITS[int(digit[0])], game).replace("-", "_")


def module_for(game: str, package: str) -> ModuleType | None:
    """The module that a package keeps for a game (``controller.odds.baccarat``); None if it keeps none."""
    name = f"{package}.{module_name(game)}"
    return import_module(name) if _NAME.fullmatch(game) and find_spec(name) is not None else None


def _game_in(module: ModuleType) -> type[Game] | None:
    """The game that a module defines; None if it is no game's module."""
    own = module.__name__.removeprefix(f"{room.__name__}.")
    kinds = (kind for kind in vars(module).values() if isinstance(kind, type) and issubclass(kind, Game))
    return next((kind for kind in kinds if module_name(getattr(kind, "name", "")) == own), None)


@cache
def all_games() -> Mapping[str, type[Game]]:
    """Name -> class of every game there is, as help and schemas list them. Imports all of them."""
    modules = (import_module(f"{room.__name__}.{module.name}") for module in iter_modules(room.__path__))
    found = [game for module in modules if (game := _game_in(module)) is not None]
    return {game.name: game for game in sorted(found, key=lambda game: (game.listed, game.name))}


def game_class(name: str) -> type[Game]:
    """The class of a game; :class:`ConfigurationError` at ``game.name`` where there is no such game."""
    module = module_for(name, room.__name__)
    game = None if module is None else _game_in(module)
    if game is not None and game.name == name:
        return game
    expected = meant(name, all_games(), f"expected {', '.join(all_games())}")
    raise ConfigurationError(f"game.name: {name!r} is no game: {expected}", "unknown_game")


def build_game(settings: GameSettings, pay_table: PayTable | None = None) -> Game:
    """The game of a configuration, with the house's pay table or else the published one.

    Raises :class:`ConfigurationError`, whose message begins with the key path (``game.decks``) and whose code
    says what is wrong, and :class:`PayTableError` where the table has not exactly the rows of the game, or
    spots that the game cannot have.
    """
    game = game_class(settings.name)
    _check_layout(game, settings.layout)
    decks = _decks(game, settings.decks)
    _check_settings(game, settings)
    if pay_table is None:
        table = builtin_pay_table(game.name, settings.layout)
    else:
        check_game(pay_table, game.name, settings.layout)
        table = pay_table
        if not table.rows:
            table = pay_table.standing_on(builtin_pay_table(game.name, settings.layout))
    check_rows(table, game.name, game.pay_rows(settings.layout))
    built = game.build(settings, decks, table)
    if table.spots or table.without:
        from controller.games.fields import check_house_spots  # most tables have no spot of their own

        check_house_spots(built)
    return built


def _check_layout(game: type[Game], layout: str | None) -> None:
    expected = ", ".join(game.layouts)
    if not game.layouts and layout is not None:
        raise ConfigurationError(f"game.layout: {game.name} has no layouts, leave it out", "unknown_layout")
    if game.layouts and layout is None:
        raise ConfigurationError(f"game.layout: {game.name} needs one of {expected}", "missing_layout")
    if game.layouts and layout is not None and layout not in game.layouts:
        raise ConfigurationError(f"game.layout: {layout!r} is not one of {expected}", "unknown_layout")


def _decks(game: type[Game], decks: int | None) -> int:
    if decks is None:
        return game.default_decks
    if decks not in game.deck_counts:
        least, most = game.deck_counts[0], game.deck_counts[-1]
        expected = f"{least} to {most} decks" if most > least else "one deck"
        raise ConfigurationError(
            f"game.decks: {game.name} is played with {expected}, not {decks}", "bad_decks"
        )
    return decks


def _check_settings(game: type[Game], settings: GameSettings) -> None:
    """A setting of another game is a mistake of whoever wrote the file: say so."""
    if settings.deal not in (None, "rotation", "packets"):
        raise ConfigurationError(
            f"game.deal: {settings.deal!r} is neither rotation nor packets", "bad_setting"
        )
    plain = GameSettings(name=settings.name)
    for key in GameSettings.__struct_fields__:
        if key in _COMMON or key in game.house_settings:
            continue
        if getattr(settings, key) != getattr(plain, key):
            raise ConfigurationError(f"game.{key}: {game.name} has no such setting", "unknown_setting")
