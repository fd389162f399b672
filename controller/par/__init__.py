"""The exact return of every spot of a pay table, counted through the rules of the games themselves."""

from __future__ import annotations

from controller.games.baccarat import Baccarat
from controller.games.casino_holdem import CasinoHoldem
from controller.games.game import Game
from controller.games.paytable import PayTable
from controller.games.registry import build_game
from controller.games.two_cards_high import TwoCardsHigh
from controller.par import baccarat, casino_holdem, two_cards_high
from controller.par.answer import SpotReturn
from controller.par.walk import walked_returns
from controller.vocabulary.configuration import GameSettings


def par(
    settings: GameSettings, pay_table: PayTable | None = None, exact_ante: bool = False
) -> dict[str, object]:
    """The contract's ``par`` answer: ways, total, return and house edge of every spot.

    All of it is exact, Casino Hold'em's Ante under optimal play too, so ``exact_ante`` asks for nothing more.
    Raises :class:`ConfigurationError` or :class:`PayTableError` as ``build_game`` does.
    """
    game = build_game(settings, pay_table)
    return {
        "game": game.name,
        "pay_table": {"id": game.pay_table.id, "digest": game.pay_table.digest},
        "spots": {spot: one.as_json() for spot, one in spot_returns(game).items()},
    }


def spot_returns(game: Game) -> dict[str, SpotReturn]:
    """The exact return of every spot of a game, in the order of its layout."""
    if isinstance(game, TwoCardsHigh):
        return two_cards_high.returns(game)
    if isinstance(game, Baccarat):
        return baccarat.returns(game)
    if isinstance(game, CasinoHoldem):
        return casino_holdem.returns(game)
    return walked_returns(game)
