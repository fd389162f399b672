"""Casino Hold'em: the Bonus over all 2,598,960 first fives, Ante and Play under optimal decisions."""

from __future__ import annotations

from math import comb

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem, bonus_row
from controller.par.answer import SpotReturn, SpotTally
from controller.par.five_cards import hands_with_ways
from controller.par.holdem_play import OptimalPlay
from controller.vocabulary.cards import RANKS
from controller.vocabulary.outcomes import LOSE

SPLITS = comb(5, 2)
"""Ways to tell the hole cards of a first five from the flop."""


def returns(game: CasinoHoldem) -> dict[str, SpotReturn]:
    """Every spot; the hands are alike."""
    play = OptimalPlay(game)
    counted = {**play.returns(), "bonus": bonus_return(game, play.forfeited)}
    return {spot: counted[spot.split(".")[1]] for spot in game.spots()}


def bonus_return(game: CasinoHoldem, forfeited: dict[str, int]) -> SpotReturn:
    """The Bonus; ``forfeited`` are the hands and flops, by row, that a fold of the Ante takes from it."""
    tally = SpotTally()
    # Where no fold matters the ways are first fives, else hands with flops.
    splits = SPLITS if forfeited else 1
    rows: dict[str | None, int] = {}
    for hand, ways in hands_with_ways(RANKS):
        row = bonus_row(poker.strength(hand))
        rows[row] = rows.get(row, 0) + ways * splits
    for row, ways in rows.items():
        gone = forfeited.get(row, 0) if row else 0
        tally.add("bonus", game.bonus_bet(row), ways - gone)
        if gone:
            tally.add("bonus", LOSE, gone)
    return tally.returns()["bonus"]
