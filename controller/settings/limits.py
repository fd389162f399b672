"""``[limits]`` held against the game: spots that it has, and a name for each of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from controller.games.game import Game
from controller.settings.model import Problem
from controller.settings.words import below
from controller.vocabulary.limits import Limit, Limits, wager_of
from controller.vocabulary.shown import nearest

SPOTS = "limits.spots"


def limit_problems(tables: Mapping[str, object]) -> Iterator[Problem]:
    """A least stake above the most: nobody could bet."""
    for path, limit in tables.items():
        if isinstance(limit, Limit) and limit.min > limit.max:
            yield Problem(f"{path}.min", f"{limit.min} is wrong; needed is at most {path}.max = {limit.max}")


def spot_problems(limits: Limits, game: Game) -> Iterator[Problem]:
    """Limits of what is no spot of this game, or of one that takes no bet by hand."""
    automatic = {decision.raised: decision for decision in game.decisions().values()}
    known = dict.fromkeys(
        name for spot in game.spots() if spot not in automatic for name in (spot, wager_of(spot))
    )
    for name in limits.spots:
        if name in known:
            continue
        raised = [one for spot, one in automatic.items() if name in (spot, wager_of(spot))]
        if raised:
            why = f"takes no bet by hand: it is {raised[0].times} times {raised[0].base}"
        elif near := nearest(name, known):
            why = f"is no spot of {game.name}; did you mean {near}?"
        else:
            why = f"is no spot of {game.name}; known are {', '.join(known)}"
        yield Problem(below(SPOTS, name), f"{name[:40]} {why}")


def spelled_out(limits: Limits, game: Game) -> Limits:
    """The limits with each spot by its own name; one of its own comes before that of all hands."""
    found = {spot: limits.named(spot) for spot in game.spots()}
    return replace(limits, spots={spot: limit for spot, limit in found.items() if limit is not None})
