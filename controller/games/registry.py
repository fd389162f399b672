"""The games of the house: one line each, and how a configuration becomes a game."""

from __future__ import annotations

from controller.games.baccarat import Baccarat
from controller.games.casino_holdem import CasinoHoldem
from controller.games.game import Game
from controller.games.paytable import PayTable, builtin_pay_table, check_rows
from controller.games.two_card_action import TwoCardAction
from controller.games.two_cards_high import TwoCardsHigh
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError

GAMES: dict[str, type[Game]] = {
    TwoCardAction.name: TwoCardAction,
    TwoCardsHigh.name: TwoCardsHigh,
    Baccarat.name: Baccarat,
    CasinoHoldem.name: CasinoHoldem,
}

_COMMON = frozenset({"name", "decks", "layout", "void"})


def game_class(name: str) -> type[Game]:
    """The class of a game; :class:`ConfigurationError` at ``game.name`` where there is no such game."""
    if name not in GAMES:
        from difflib import get_close_matches  # only for a mistake

        near = get_close_matches(name, GAMES, 1)
        expected = f'did you mean "{near[0]}"?' if near else f"expected {', '.join(GAMES)}"
        raise ConfigurationError(f"game.name: {name!r} is no game: {expected}", "unknown_game")
    return GAMES[name]


def build_game(settings: GameSettings, pay_table: PayTable | None = None) -> Game:
    """The game of a configuration, with the house's pay table or else the published one.

    Raises :class:`ConfigurationError`, whose message begins with the key path (``game.decks``) and whose code
    says what is wrong, and :class:`PayTableError` where the table has not exactly the rows of the game.
    """
    game = game_class(settings.name)
    _check_layout(game, settings.layout)
    decks = _decks(game, settings.decks)
    _check_settings(game, settings)
    table = builtin_pay_table(game.name, settings.layout, game.pay_tables) if pay_table is None else pay_table
    check_rows(table, game.name, settings.layout, game.pay_rows(settings.layout))
    return game.build(settings, decks, table)


def _check_layout(game: type[Game], layout: str | None) -> None:
    expected = ", ".join(game.layouts)
    if not game.layouts and layout is not None:
        raise ConfigurationError(f"game.layout: {game.name} has no layouts, leave it out", "unknown_layout")
    if game.layouts and layout is None:
        raise ConfigurationError(f"game.layout: {game.name} needs one of {expected}", "missing_layout")
    if game.layouts and layout not in game.layouts:
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
