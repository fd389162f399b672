"""The thirds of baccarat: where a round ends from the totals of two cards each, by the next two cards."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from math import perm
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


Met = tuple[int, int, int, list[int]]
"""Totals of two cards of Player and Banker, a weight, and the unseen cards of each class then."""


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


class _Thirds(NamedTuple):
    """From two totals: places in :data:`FINALS`."""

    drawn: int
    """How many further cards decide, none to two."""
    ends: list[list[int]]
    """By the points of the first and second further card; one entry where there is no such card, or where
    the points of the first say that there is no second."""


@cache
def _thirds(player: int, banker: int) -> _Thirds:
    place = {one: at for at, one in enumerate(FINALS)}
    ends = []
    for first in range(CLASSES):
        by_second = [place[final(player, banker, (first, second))] for second in range(CLASSES)]
        ends.append(by_second[:1] if len(set(by_second)) == 1 else by_second)
    if all(len(one) == 1 and one == ends[0] for one in ends):
        return _Thirds(0, ends[:1])
    return _Thirds(1 if all(len(one) == 1 for one in ends) else 2, ends)


def weights(met: Iterable[Met]) -> list[int]:
    """By place in :data:`FINALS`: the orders of two further cards that end there, times the weight."""
    found = [0] * len(FINALS)
    for player, banker, weight, left in met:
        drawn, ends = _thirds(player, banker)
        cards = sum(left)
        if not drawn:
            found[ends[0][0]] += weight * perm(cards, 2)
            continue
        for first, by_second in enumerate(ends):
            orders = weight * left[first]
            if len(by_second) == 1:
                found[by_second[0]] += orders * (cards - 1)
                continue
            for place, there in zip(by_second, left, strict=True):
                found[place] += orders * there
            found[by_second[first]] -= orders
    return found
