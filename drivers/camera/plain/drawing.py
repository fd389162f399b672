"""A deck of our own, drawn in a few lines, for the demo and for tests: large signs in two corners, pips,
frames.

It is no design that anybody prints. What the reader is measured with are designs of others (`tests/plain`).
"""

from __future__ import annotations

import math
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

Face = NDArray[np.uint8]
"""A flat card: blue, green, red and what is card, 8 bits each."""
_WIDTH, _HEIGHT, _ROUND = 378, 528, 20
"""Six pixels a millimetre of a card of 63 x 88 mm."""
_INK = {"S": (20, 20, 20), "C": (20, 20, 20), "H": (30, 20, 200), "D": (30, 20, 200)}
_LEFT, _RIGHT, _MIDDLE = 0.33, 0.67, 0.5
_INDEX_PX = 46
"""From the card's edge to the middle of its index."""
_UPPER = {
    "2": ((_MIDDLE, 0.18),),
    "3": ((_MIDDLE, 0.18),),
    "4": ((_LEFT, 0.18), (_RIGHT, 0.18)),
    "5": ((_LEFT, 0.18), (_RIGHT, 0.18)),
    "6": ((_LEFT, 0.18), (_RIGHT, 0.18)),
    "7": ((_LEFT, 0.18), (_RIGHT, 0.18)),
    "8": ((_LEFT, 0.18), (_RIGHT, 0.18), (_MIDDLE, 0.33)),
    "9": ((_LEFT, 0.18), (_RIGHT, 0.18), (_LEFT, 0.39), (_RIGHT, 0.39)),
    "T": ((_LEFT, 0.18), (_RIGHT, 0.18), (_LEFT, 0.39), (_RIGHT, 0.39), (_MIDDLE, 0.28)),
}
"""Pips of the upper half, as shares of width and height; the lower half has the same on their heads."""
_LEVEL = {
    "A": ((_MIDDLE, 0.5),),
    "3": ((_MIDDLE, 0.5),),
    "5": ((_MIDDLE, 0.5),),
    "6": ((_LEFT, 0.5), (_RIGHT, 0.5)),
    "7": ((_LEFT, 0.5), (_RIGHT, 0.5), (_MIDDLE, 0.34)),
    "8": ((_LEFT, 0.5), (_RIGHT, 0.5)),
    "9": ((_MIDDLE, 0.5),),
}


@cache
def face_of(card: str) -> Face:
    """A card as "8S", `joker`, or `back`."""
    half = _paper()
    if card == "back":
        for step in range(0, _WIDTH + _HEIGHT, 18):
            cv2.line(half, (step, 0), (step - _HEIGHT, _HEIGHT), (150, 60, 30), 5, cv2.LINE_AA)
        cv2.rectangle(half, (0, 0), (_WIDTH, _HEIGHT), (255, 255, 255), 36)
        return _card(half)
    if card == "joker":
        cv2.putText(half, "JOKER", (60, 290), cv2.FONT_HERSHEY_DUPLEX, 2.3, (120, 40, 120), 5, cv2.LINE_AA)
        return _card(half)
    rank, suit = card[0], card[1]
    ink = _INK[suit]
    _sign(half, rank, ink)
    _suit(half, suit, _INDEX_PX, 128, 25)
    for x, y in _UPPER.get(rank, ()):
        _suit(half, suit, x * _WIDTH, y * _HEIGHT, 29)
    if rank in "JQK":
        cv2.rectangle(half, (88, 60), (_WIDTH - 89, _HEIGHT - 61), (130, 80, 20), 3)
        for place in range("JQK".index(rank) + 2):
            colour = ((30, 180, 230), ink, (160, 90, 30))[place % 3]
            cv2.circle(half, (_WIDTH // 2, 120 + 36 * place), 24, colour, -1)
        _suit(half, suit, 138, 112, 36)
    whole = np.asarray(cv2.min(half, half[::-1, ::-1]), np.uint8)
    for x, y in _LEVEL.get(rank, ()):
        _suit(whole, suit, x * _WIDTH, y * _HEIGHT, 29 if rank != "A" else 60)
    return _card(whole)


def _paper() -> Face:
    return np.full((_HEIGHT, _WIDTH, 3), 255, np.uint8)


def _card(picture: Face) -> Face:
    solid = np.zeros((_HEIGHT, _WIDTH), np.uint8)
    cv2.rectangle(solid, (_ROUND, 0), (_WIDTH - _ROUND, _HEIGHT), 255, -1)
    cv2.rectangle(solid, (0, _ROUND), (_WIDTH, _HEIGHT - _ROUND), 255, -1)
    for x in (_ROUND, _WIDTH - _ROUND - 1):
        for y in (_ROUND, _HEIGHT - _ROUND - 1):
            cv2.circle(solid, (x, y), _ROUND, 255, -1)
    return np.dstack([picture, solid])


def _sign(picture: Face, rank: str, ink: tuple[int, int, int]) -> None:
    text, wide = ("10", 1.6) if rank == "T" else (rank, 2.3)
    (width, _), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_DUPLEX, wide, 5)
    cv2.putText(
        picture, text, (_INDEX_PX - width // 2, 84), cv2.FONT_HERSHEY_DUPLEX, wide, ink, 5, cv2.LINE_AA
    )


def _suit(picture: Face, suit: str, x: float, y: float, size: float) -> None:
    """One suit's sign, `size` from its middle to its edge."""
    ink = _INK[suit]

    def disc(across: float, down: float, radius: float) -> None:
        centre = (round(x + across * size), round(y + down * size))
        cv2.circle(picture, centre, round(radius * size), ink, -1, cv2.LINE_AA)

    def solid(*points: tuple[float, float]) -> None:
        corners = np.array([[round(x + across * size), round(y + down * size)] for across, down in points])
        cv2.fillPoly(picture, [corners.astype(np.int32)], ink, cv2.LINE_AA)

    foot = ((0.0, 0.1), (0.35, 1.0), (-0.35, 1.0))
    slope = math.sqrt(0.5)
    if suit == "D":
        solid((0, -1.1), (0.8, 0), (0, 1.1), (-0.8, 0))
    elif suit == "H":
        disc(-0.45, -0.4, 0.5)
        disc(0.45, -0.4, 0.5)
        solid(
            (-0.45 - 0.5 * slope, -0.4 + 0.5 * slope),
            (0, -0.3),
            (0.45 + 0.5 * slope, -0.4 + 0.5 * slope),
            (0, 1.0),
        )
    elif suit == "S":
        disc(-0.45, 0.25, 0.45)
        disc(0.45, 0.25, 0.45)
        solid((-0.86, 0.05), (0, -1.2), (0.86, 0.05), (0, 0.5))
        solid(*foot)
    else:
        disc(-0.6, 0.2, 0.42)
        disc(0.6, 0.2, 0.42)
        disc(0, -0.7, 0.42)
        disc(0, 0, 0.2)
        solid(*foot)
