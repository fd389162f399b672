"""The watch on a depleted shoe (card counting): what the house keeps of a bet, by the cards nobody has seen.

Figures are of the next round, and while a round runs of that round before its first card; so none tells of a
card that lies. They go to the floor alone (metrics, ``top``). The alert may be read at any display, therefore
it names neither bet nor figure.
"""

from __future__ import annotations

from functools import lru_cache

from controller.games.game import Game
from controller.round.known import is_doubtful, unseen_before_round
from controller.round.prices import NUMPY
from controller.round.state import State
from controller.round.terms import live_spots
from controller.round.turn import Turn, game_of

ALERT = "house-edge"


def house_edges(state: State) -> dict[str, float] | None:
    """Spot -> the part of a stake that the house keeps on average by the pay table; below 0 the bet favours
    the players.

    None if there is nothing to watch: no shoe, or nobody knows what is in it, or too little; a pack that
    is shuffled before every round; only spots with live odds, which follow the cards by themselves.
    """
    shoe, game = state.shoe, game_of(state.configuration)
    if shoe is None or not is_watched(state, game) or is_doubtful(shoe):
        return None
    found = _edges(game, tuple(unseen_before_round(state, game, shoe).values()))
    live = live_spots(state.configuration)
    return None if found is None else {spot: edge for spot, edge in found.items() if spot not in live}


def is_watched(state: State, game: Game) -> bool:
    """Whether cards that were seen can change what a bet of the next round is worth."""
    return not game.shuffled_every_round and len(live_spots(state.configuration)) < len(game.spots())


def watch_edge(turn: Turn, before: State) -> None:
    """Between rounds: an alert while some bet's edge is below ``shoe.least_house_edge``."""
    state, least = turn.state, turn.state.configuration.shoe.least_house_edge
    same = state.shoe is before.shoe and state.phase == before.phase
    if state.in_round or (same and state.configuration is before.configuration):
        return
    edges = None if least is None else house_edges(state)
    if least is not None and edges and min(edges.values()) < least:
        message = f"depleted shoe: the house edge of a bet is below the limit ({100 * least:g} %)"
        turn.raise_alert(ALERT, "house_edge", f"{message}: shuffle, or lower the limits of the table")
    else:
        turn.clear_alert(ALERT)


@lru_cache(maxsize=8)
def _edges(game: Game, counts: tuple[int, ...]) -> dict[str, float] | None:
    # Only here: a table that nobody watches pays nothing for it.
    from controller.odds.composition import OddsError
    from controller.odds.counting import spot_ways

    try:
        unseen = dict(zip(game.deck, counts, strict=True))
        ways = spot_ways(game, unseen, numpy=NUMPY)
    except OddsError:
        return None
    return {spot: float(one.house_edge) for spot, one in ways.items()}
