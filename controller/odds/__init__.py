"""Exact probabilities: baccarat, hold'em, and the return of a pay table.

Nothing here rounds before the last step, and numpy, where it is installed, is imported by the first
question that is faster with it.
"""

from controller.odds.baccarat import Odds, baccarat_odds
from controller.odds.composition import OddsError
from controller.odds.line import odds_line
from controller.odds.prices import Prices, prices
from controller.odds.strength import Strength, holdem_strength

__all__ = [
    "Odds",
    "OddsError",
    "Prices",
    "Strength",
    "baccarat_odds",
    "holdem_strength",
    "odds_line",
    "prices",
]
