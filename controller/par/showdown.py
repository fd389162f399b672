"""Against how many dealer hands a hand wins, ties and loses on a board: counted for all hands at once.

Of the dealer hands that remain, those weaker than x that share no card with the hand {a, b} are: all weaker
than x, less those with a, less those with b, plus one where {a, b} itself is weaker (it was taken off twice).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from controller.par.card_types import Ints, pair_types, pair_ways

Strengths = npt.NDArray[np.int16]


class Versus(NamedTuple):
    """Rows are boards, columns pairs of types that the hand may hold; numbers of dealer hands, 0 to 990."""

    out: Ints
    """The dealer does not qualify."""
    weaker: Ints
    """The dealer qualifies and the hand is better."""
    equal: Ints
    """The dealer qualifies and ties."""
    possible: npt.NDArray[np.bool_]
    """Whether the hand can be held on this board; elsewhere the numbers mean nothing."""


def versus(strengths: Strengths, left: Ints, qualifies: int) -> Versus:
    """Counts for boards given as rows.

    ``strengths`` are the pairs' strengths (any order-preserving numbering), ``left`` the cards of each type
    that are not on the board, ``qualifies`` the least strength with which the dealer qualifies.
    """
    types = left.shape[1]
    pairs = pair_types(types)
    ways = pair_ways(left)
    weaker, up_to = _below(strengths, ways)
    # Hands with one given card of type a: by the type of the other card.
    square = strengths[:, pairs.number]
    others = np.repeat(left[:, None, :], types, axis=1)
    diagonal = np.arange(types)
    others[:, diagonal, diagonal] -= 1
    np.maximum(others, 0, out=others)
    with_weaker, with_up_to = _below(square, others)
    for low, high in ((pairs.low, pairs.high), (pairs.high, pairs.low)):
        weaker = weaker - with_weaker[:, low, high]
        up_to = up_to - with_up_to[:, low, high]
    up_to += 1
    unqualified = strengths < qualifies
    with_out = (others * (square < qualifies)).sum(axis=2)
    out = (
        (ways * unqualified).sum(axis=1)[:, None]
        - with_out[:, pairs.low]
        - with_out[:, pairs.high]
        + unqualified
    )
    return Versus(
        out,
        np.where(unqualified, 0, weaker - out),
        np.where(unqualified, 0, up_to - weaker),
        ways > 0,
    )


def _below(strengths: Strengths, ways: Ints) -> tuple[Ints, Ints]:
    """Along the last axis: the ways of all entries weaker than each entry, and of those not stronger."""
    order = np.argsort(strengths, axis=-1)
    ordered = np.take_along_axis(strengths, order, -1)
    sums = np.cumsum(np.take_along_axis(ways, order, -1), axis=-1)
    places = np.broadcast_to(np.arange(strengths.shape[-1]), strengths.shape)
    new = np.ones(strengths.shape, dtype=bool)
    new[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    first = np.maximum.accumulate(np.where(new, places, 0), axis=-1)
    before = np.take_along_axis(sums, np.maximum(first - 1, 0), -1) * (first > 0)
    last = np.ones(strengths.shape, dtype=bool)
    last[..., :-1] = new[..., 1:]
    end = np.flip(np.minimum.accumulate(np.flip(np.where(last, places, places.shape[-1]), -1), axis=-1), -1)
    through = np.take_along_axis(sums, end, -1)
    back = np.argsort(order, axis=-1)
    return np.take_along_axis(before, back, -1), np.take_along_axis(through, back, -1)
