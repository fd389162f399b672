"""Casino Hold'em: the Bonus over all 2,598,960 first fives, Ante and Play under optimal decisions."""

from __future__ import annotations

from collections import Counter
from math import comb

from controller.games import poker
from controller.games.casino_holdem import CasinoHoldem, bonus_row
from controller.par.answer import SpotReturn, tallied
from controller.par.first_fives import first_fives
from controller.par.holdem_play import OptimalPlay
from controller.par.holdem_reached import called
from controller.par.holdem_spots import FIRST_FIVE, first_facts, house_returns
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import LOSE

SPLITS = comb(5, 2)
"""Ways to tell the hole cards of a first five from the flop."""


def returns(game: CasinoHoldem, wagers: frozenset[str] | None = None) -> dict[str, SpotReturn]:
    """Every spot, or some; the hands are alike."""
    own = game.pay_table.spots.get("bonus") if game.fold_forfeits_bonus else None
    if own is not None and not own.asks <= FIRST_FIVE:
        raise PayTableError(
            "spots.bonus: what it pays on final hands is not counted where game.fold_forfeits_bonus takes it"
            " with a fold; ask for the first five alone, or give the spot a name of its own"
        )
    counted = house_returns(game)
    if own is not None:
        del counted["bonus"]  # a fold has a say in it
    if wagers is None or not wagers <= {*counted}:
        play = OptimalPlay(game)
        counted = {**play.returns(), "bonus": bonus_return(game, play.forfeited), **counted}
    wanted = [spot for spot in game.spots() if wagers is None or game.wager(spot) in wagers]
    return {spot: counted[game.wager(spot)] for spot in wanted}


def bonus_return(game: CasinoHoldem, forfeited: Counter[int]) -> SpotReturn:
    """The Bonus, also a house's own; ``forfeited`` are the hands and flops that a fold of the Ante takes from
    it, by the strength of their first five."""
    # Where no fold matters the ways are first fives, else hands with flops.
    splits, own = SPLITS if forfeited else 1, game.pay_table.spots.get("bonus")
    found: Counter[int] = Counter()
    for hand, ways in first_fives():
        found[poker.strength(hand)] += ways * splits
    results = []
    for strength, ways in found.items():
        facts = first_facts(called(strength))
        result = game.bonus_bet(bonus_row(strength)) if own is None else own.result(facts)
        results += [(result, ways - forfeited[strength]), (LOSE, forfeited[strength])]
    return tallied(results)
