"""The exact return of every spot of a pay table, counted through the rules of the games themselves."""

from __future__ import annotations

from collections.abc import Mapping

from controller.games.game import Game
from controller.games.paytable import PayTable
from controller.games.registry import build_game, module_for
from controller.odds.composition import OddsError
from controller.odds.counting import spot_ways
from controller.odds.walk import MOST_CARDS, walked_ways
from controller.par.answer import PayTableReturn, SpotReturn, from_ways
from controller.vocabulary.configuration import GameSettings
from controller.vocabulary.errors import ConfigurationError, PayTableError
from controller.vocabulary.values import PayTableName


def par(settings: GameSettings, pay_table: PayTable | None = None) -> PayTableReturn:
    """The contract's ``par`` answer: ways, total, return and house edge of every spot.

    All of it is exact, the return of an Ante under optimal play too: ``--exact-ante`` asks for nothing more.
    Raises :class:`ConfigurationError` or :class:`PayTableError` as ``build_game`` does, and where a spot
    returns more than is staked (see :func:`check_returns`).
    """
    game = build_game(settings, pay_table)
    returns = spot_returns(game)
    check_returns(game, returns)
    return PayTableReturn(
        game.name,
        PayTableName(game.pay_table.id, game.pay_table.digest),
        {spot: one.answer() for spot, one in returns.items()},
    )


def check_returns(game: Game, returns: Mapping[str, SpotReturn]) -> None:
    """:class:`PayTableError` with the key path where a spot gives back more than is staked, unless the pay
    table says, at its head or at the spot, that it is meant."""
    if game.pay_table.allow_above_100:
        return
    for spot, one in returns.items():
        wager = game.wager(spot)
        own = game.pay_table.spots.get(wager)
        if one.share > 1 and not (own is not None and own.allow_above_100):
            where = f"spots.{wager}" if own is not None else f"rows: bet {wager!r}"
            raise PayTableError(
                f"{where}: returns {float(one.share):.4%}, more than is staked;"
                " allow_above_100 = true where that is meant"
            )


def spot_returns(game: Game, wagers: frozenset[str] | None = None) -> dict[str, SpotReturn]:
    """The exact return of every spot of a game, or of some (``bonus`` for ``hand1.bonus``), in the order of
    its layout.

    ``controller.par.<game>`` counts where there is such a module; else few cards are walked, and of more the
    odds of a whole pack tell the return. :class:`ConfigurationError` where there is neither.
    """
    own = module_for(game.name, __name__)
    if own is not None:
        returns: dict[str, SpotReturn] = own.returns(game, wagers)
        return returns
    pack = dict.fromkeys(game.deck, game.decks)
    try:
        few = game.cards_needed <= MOST_CARDS
        ways = walked_ways(game, pack) if few else spot_ways(game, pack, numpy=False)
        return from_ways(
            {spot: one for spot, one in ways.items() if not wagers or game.wager(spot) in wagers}
        )
    except OddsError as error:
        raise ConfigurationError(
            f"game.name: the return of {game.name} cannot be counted: it deals {game.cards_needed} cards,"
            f" at most {MOST_CARDS} are walked, and it has no module in controller.par nor in controller.odds"
        ) from error
