"""Exact probabilities: what hands and bets are worth while a round is played.

Nothing here rounds before the last step, and numpy, where it is installed, is imported by the first
question that is faster with it.
"""

from controller.odds.baccarat import baccarat_odds
from controller.odds.composition import OddsError
from controller.odds.line import odds_line
from controller.odds.prices import Odds, Prices, prices
from controller.odds.strength import holdem_strength

__all__ = [
    "Odds",
    "OddsError",
    "Prices",
    "baccarat_odds",
    "holdem_strength",
    "odds_line",
    "prices",
]
