"""What the house keeps of every bet right now: the watch on depleted shoes (card counting)."""

from __future__ import annotations

from collections.abc import Mapping

from controller.games.baccarat import SPOTS, Baccarat
from controller.games.game import Game
from controller.games.two_card_action import TwoCardAction
from controller.games.two_cards_high import TwoCardsHigh
from controller.odds.baccarat import baccarat_odds
from controller.odds.composition import OddsError, card_counts
from controller.odds.prices import PUSHING
from controller.odds.spot_ways import SpotWays
from controller.odds.two_card_action import two_card_action_ways
from controller.odds.two_cards_high import two_cards_high_ways
from controller.vocabulary.cards import DECK_52, RANKS, Card


def spot_ways(game: Game, remaining: Mapping[Card, int], *, numpy: bool | None = None) -> dict[str, SpotWays]:
    """The ways of every spot by the game's pay table in a round dealt from the cards that are left.

    ``remaining`` names every card of the game's deck. ``SpotWays.house_edge`` is what the house keeps now.
    :class:`OddsError` with code ``unknown_game`` for a game that is always dealt from a whole deck it shows
    (hold'em), ``insufficient_cards`` where no round can be dealt, or one of ``card_counts``.
    """
    match game:
        case Baccarat():
            return _baccarat_ways(game, remaining, numpy)
        case TwoCardAction():
            return two_card_action_ways(game, remaining)
        case TwoCardsHigh():
            return two_cards_high_ways(game, remaining)
    raise OddsError(
        f"{game.name} has no odds by what is left: it is shuffled before every round", "unknown_game"
    )


def _baccarat_ways(game: Baccarat, remaining: Mapping[Card, int], numpy: bool | None) -> dict[str, SpotWays]:
    """Baccarat by its fixed pay table; Player and Banker push on a tie (2.3.1)."""
    counts = dict(
        zip(DECK_52, card_counts(remaining, DECK_52, len(DECK_52) * game.deck_counts[-1]), strict=True)
    )
    by_rank = {rank: sum(count for card, count in counts.items() if card[0] == rank) for rank in RANKS}
    ways, total = baccarat_odds(by_rank, numpy=numpy)
    pays = game.pay_table.ratios()
    return {
        spot: SpotWays({pays[spot, "win"]: ways[spot]}, ways["tie"] if spot in PUSHING else 0, total)
        for spot in SPOTS
    }
