"""The thirds of baccarat: where a round ends from the totals of two cards each, by the next two cards."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from controller.games.baccarat import NATURAL, banker_draws, player_draws
from controller.odds.multisets import CLASSES


class Final(NamedTuple):
    """What the points of a round are."""

    player: int
    banker: int
    player_cards: int
    banker_cards: int
    natural: bool


@cache
def final(player: int, banker: int, thirds: tuple[int, int]) -> Final:
    """The round from the totals of two cards each; the first of ``thirds`` that is due goes to the Player."""
    natural = player in NATURAL or banker in NATURAL
    rest = iter(thirds)
    third = next(rest) if player_draws(player, banker) else None
    draws = banker_draws(player, banker, third)
    after = (banker + next(rest)) % 10 if draws else banker
    return Final((player + (third or 0)) % 10, after, 2 + (third is not None), 2 + draws, natural)


TWO_POINTS = [(one, other) for one in range(CLASSES) for other in range(CLASSES)]
FINALS = sorted({final(*totals, thirds) for totals in TWO_POINTS for thirds in TWO_POINTS})


_PLACES = {one: place for place, one in enumerate(FINALS)}


def final_place(player: int, banker: int, thirds: tuple[int, int]) -> int:
    """Where :func:`final` of these stands in :data:`FINALS`."""
    return _PLACES[final(player, banker, thirds)]
