"""The exact return of every spot of a pay table, counted through the rules of the games themselves."""

from __future__ import annotations

from controller.games.game import Game
from controller.games.paytable import PayTable
from controller.games.registry import build_game, module_for
from controller.odds.composition import OddsError
from controller.odds.counting import spot_ways
from controller.odds.walk import MOST_CARDS, walked_ways
from controller.par.answer import PayTableReturn, SpotReturn, from_ways
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError
from controller.vocabulary.values import PayTableName


def par(settings: GameSettings, pay_table: PayTable | None = None) -> PayTableReturn:
    """The contract's ``par`` answer: ways, total, return and house edge of every spot.

    All of it is exact, the return of an Ante under optimal play too: ``--exact-ante`` asks for nothing more.
    Raises :class:`ConfigurationError` or :class:`PayTableError` as ``build_game`` does.
    """
    game = build_game(settings, pay_table)
    return PayTableReturn(
        game.name,
        PayTableName(game.pay_table.id, game.pay_table.digest),
        {spot: one.answer() for spot, one in spot_returns(game).items()},
    )


def spot_returns(game: Game) -> dict[str, SpotReturn]:
    """The exact return of every spot of a game, in the order of its layout.

    ``controller.par.<game>`` counts where there is such a module; else few cards are walked, and of more the
    odds of a whole pack tell the return. :class:`ConfigurationError` where there is neither.
    """
    own = module_for(game.name, __name__)
    if own is not None:
        returns: dict[str, SpotReturn] = own.returns(game)
        return returns
    pack = dict.fromkeys(game.deck, game.decks)
    if game.cards_needed <= MOST_CARDS:
        return from_ways(walked_ways(game, pack))
    try:
        return from_ways(spot_ways(game, pack, numpy=False))
    except OddsError as error:
        raise ConfigurationError(
            f"game.name: the return of {game.name} cannot be counted: it deals {game.cards_needed} cards,"
            f" at most {MOST_CARDS} are walked, and it has no module in controller.par nor in controller.odds"
        ) from error
