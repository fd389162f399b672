"""Prices from odds: what a bet is worth, and what the house offers for it (2.5.3; readings, baccarat)."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import NamedTuple

import msgspec

from controller.odds.composition import OddsError
from controller.vocabulary.shown import told

DEFAULT_MARGIN = "0.05"

PUSHING = frozenset({"player", "banker"})
"""These bets get their stake back on a tie (2.3.1)."""

LEAST_OFFER = 101
"""Hundredths: below 1.01 a bet is suspended."""

MOST_PLACES = 40
"""Of a share: one of a billion places would be worked on for hours."""

Price = float | None
Margin = str | int | float | Decimal
"""A share from 0 to below 1. A float is taken as it is written: 0.05 is five hundredths."""


class Odds(NamedTuple):
    """``ways[spot]`` of ``total`` equally likely ways make the spot win.

    In ``ways["tie"]`` of them the bets of :data:`PUSHING` get their stake back.
    """

    ways: Mapping[str, int]
    total: int


class Prices(msgspec.Struct, frozen=True):
    """By spot: the probability, the fair decimal price (stake included), and the offered one.

    None is the fair price of what cannot happen, and the offer of a bet that is suspended.
    """

    probabilities: dict[str, float]
    fair: dict[str, Price]
    offered: dict[str, Price]


class Chance(NamedTuple):
    """Of ``total`` equally likely ways a spot wins in ``wins`` and gives the stake back in ``pushes``."""

    wins: int
    pushes: int
    total: int


def chances(odds: Odds) -> dict[str, Chance]:
    """The chances of every spot."""
    ties = odds.ways["tie"]
    return {
        spot: Chance(ways, ties if spot in PUSHING else 0, odds.total) for spot, ways in odds.ways.items()
    }


def prices(
    odds: Odds | Mapping[str, Chance],
    margin: Margin | Mapping[str, Margin] = DEFAULT_MARGIN,
    *,
    least_probability: Margin = 0,
) -> Prices:
    """The prices of every spot.

    A fair price is 1 / p, or (1 - p of a push) / p where one gives the stake back. The offer is that, less
    the margin, rounded down to hundredths without any rounding before. A spot is suspended where the offer
    would be less than 1.01, which a bet already decided always is, or where p is under
    ``least_probability``.

    ``margin`` is one for all spots or one for each; :class:`OddsError` with code ``bad_margin`` where it is
    none.
    """
    least, of = _share(least_probability, "least_probability")
    each = margin if isinstance(margin, Mapping) else None
    probabilities, fair, offered = {}, {}, {}
    for spot, (ways, pushes, total) in (chances(odds) if isinstance(odds, Odds) else odds).items():
        if each is not None:
            if spot not in each:
                raise OddsError(f"margin names no share for {spot}", "bad_margin")
            margin = each[spot]
        taken, whole = _share(margin, "margin")
        risked = total - pushes
        probabilities[spot] = ways / total
        fair[spot] = risked / ways if ways else None
        hundredths = 100 * risked * (whole - taken) // (ways * whole) if ways else 0
        rare = ways * of < total * least
        offered[spot] = None if rare or hundredths < LEAST_OFFER else hundredths / 100
    return Prices(probabilities, fair, offered)


def _share(value: object, name: str) -> tuple[int, int]:
    """A share from 0 to below 1 as an exact ratio."""
    try:
        return _ratio(value)
    except (InvalidOperation, TypeError):  # a list cannot be looked up
        message = f"{told(name, value)}: expected a share from 0 to below 1, as 0.05"
        raise OddsError(message, "bad_margin") from None


@lru_cache(maxsize=64, typed=True)
def _ratio(value: object) -> tuple[int, int]:
    share = Decimal(str(value))
    exponent = share.as_tuple().exponent
    if not 0 <= share < 1 or not isinstance(exponent, int) or exponent < -MOST_PLACES:
        raise InvalidOperation
    return share.as_integer_ratio()
