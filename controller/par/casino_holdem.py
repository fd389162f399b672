"""Casino Hold'em: the Bonus over all 2,598,960 first fives, Ante and Play under optimal decisions."""

from __future__ import annotations

from collections import Counter
from math import comb

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem, bonus_row
from controller.par.answer import SpotReturn, tallied
from controller.par.first_fives import first_fives
from controller.par.holdem_play import OptimalPlay
from controller.par.holdem_spots import house_returns
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import LOSE

SPLITS = comb(5, 2)
"""Ways to tell the hole cards of a first five from the flop."""


def returns(game: CasinoHoldem, wagers: frozenset[str] | None = None) -> dict[str, SpotReturn]:
    """Every spot, or some; the hands are alike."""
    if game.fold_forfeits_bonus and "bonus" in game.pay_table.spots:
        raise PayTableError(
            "spots.bonus: its return is not counted where game.fold_forfeits_bonus takes it with a fold;"
            " write its pays in rows, or give the spot a name of its own"
        )
    counted = house_returns(game)
    if wagers is None or not wagers <= {*counted}:
        play = OptimalPlay(game)
        counted = {**play.returns(), "bonus": bonus_return(game, play.forfeited), **counted}
    wanted = [spot for spot in game.spots() if wagers is None or game.wager(spot) in wagers]
    return {spot: counted[game.wager(spot)] for spot in wanted}


def bonus_return(game: CasinoHoldem, forfeited: dict[str, int]) -> SpotReturn:
    """The Bonus; ``forfeited`` are the hands and flops, by row, that a fold of the Ante takes from it."""
    # Where no fold matters the ways are first fives, else hands with flops.
    splits = SPLITS if forfeited else 1
    rows: Counter[str | None] = Counter()
    for hand, ways in first_fives():
        rows[bonus_row(poker.strength(hand))] += ways * splits
    results = []
    for row, ways in rows.items():
        gone = forfeited.get(row, 0) if row else 0
        results += [(game.bonus_bet(row), ways - gone), (LOSE, gone)]
    return tallied(results)
