"""Baccarat with a fixed pay table: exact over the ordered sequences of six cards from the full shoe.

The same counts as those of the live odds (:mod:`controller.odds`), of a shoe that nobody has drawn from.
"""

from __future__ import annotations

from controller.games.baccarat import Baccarat
from controller.odds.watch import spot_ways
from controller.par.answer import SpotReturn


def returns(game: Baccarat) -> dict[str, SpotReturn]:
    """All eight spots."""
    found = {}
    for spot, ways in spot_ways(game, dict.fromkeys(game.deck, game.decks), numpy=False).items():
        lost = ways.total - ways.pushes - sum(ways.wins.values())
        ends = {**ways.wins, "push": ways.pushes, "lose": lost}
        found[spot] = SpotReturn({end: number for end, number in ends.items() if number})
    return found
