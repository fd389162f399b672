"""How Ante and Play end by the hand's row of the pay table and the dealer's hand; told by the game itself."""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

import numpy as np

from controller.games import poker
from controller.games.casino_holdem import ANTE_ROWS, PLAY_TIMES, QUALIFIES, CasinoHoldem
from controller.par.answer import ending, returned
from controller.par.card_types import Ints
from controller.vocabulary.errors import PayTableError
from controller.vocabulary.outcomes import SpotOutcome

MOST_NET = 10**9
"""A gain in the smallest unit; 1.3 thousand million of them stay below 2^63."""


class Endings(NamedTuple):
    """Of one row of the Ante's pay table, against a dealer who is out, weaker, equal and stronger."""

    ante: tuple[SpotOutcome, ...]
    play: tuple[SpotOutcome, ...]


def endings(game: CasinoHoldem) -> list[Endings]:
    """For each of ``ANTE_ROWS``, from a hand of the row and four dealers."""
    found = []
    for row in ANTE_ROWS:
        category = poker.STRAIGHT if row == "straight_or_lower" else poker.CATEGORIES.index(row)
        hand = poker.pack(category, poker.BIT["A"])
        dealers = (poker.pack(poker.HIGH_CARD), QUALIFIES, hand, hand + 1)
        ante = tuple(game.ante_bet(hand, dealer) for dealer in dealers)
        found.append(Endings(ante, tuple(game.play_bet(hand, dealer) for dealer in dealers)))
    return found


def nets(rows: list[Endings]) -> tuple[Ints, int]:
    """What a played hand gains: integers, rows x dealers, and how many of them are one Ante."""
    gains = [
        [
            returned(ending(ante)) - 1 + PLAY_TIMES * (returned(ending(play)) - 1)
            for ante, play in zip(row.ante, row.play, strict=True)
        ]
        for row in rows
    ]
    unit = lcm(*(gain.denominator for row in gains for gain in row))
    if max(abs(gain) * unit for row in gains for gain in row) > MOST_NET:
        raise PayTableError(
            "the ratios of ante and play are too fine or too high for an exact count of the Ante"
        )
    return np.array([[int(gain * unit) for gain in row] for row in gains], dtype=np.int64), unit
