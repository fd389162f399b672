"""Where the cards are in a picture: bright paper before a dark ground, with straight sides at right angles.

A side is a straight line through what was found of the paper's edge; one that the picture cuts off is no
side. A card is told where all four sides are seen, or a whole side and what goes on from both of its ends.
Everything else that is bright (a hand, a sleeve, two cards over each other, half a card) is told as
*something*: it is no card, and not nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Points = NDArray[np.float32]
Lines = tuple[Points | None, Points | None, Points | None, Points | None]
"""Four sides round the card, each a point and a direction (4 numbers), or None where it is not seen whole
enough.
"""
_HALF = 2
_LEAST_AREA = 0.04
"""Share of the picture; what is smaller is no card and no part of one."""
_MOST_FOUND = 3
_BORDER_PX = 3.0
_STEP = 5
"""Points of a contour between which its direction is taken."""
_DARKEST_PAPER = 45.0
_LEAST_CONTRAST = 25.0
_SQUARENESS = 0.5
"""How much of a contour must run along two directions at right angles (1 is all of it)."""
_LEAST_SIDE_PX = 36
_CROOKED_PX = 1.6
_SAMPLES, _REACH_PX = 40, 5.0


@dataclass(frozen=True, slots=True)
class Shape:
    """One bright shape: its middle and how long it is (pixels), and its sides where they are a card's.

    `sides` go round: each begins where the one before ends.
    """

    x_px: float
    y_px: float
    length_px: float
    area_px: float
    sides: Lines | None
    whole: bool
    """No part of its outline lies at the picture's border."""


def brightness(picture: Picture) -> Picture:
    """The darkest of the three colours: any ink is dark in it, and so are skin and felt; paper is not."""
    if picture.ndim == 2:
        return picture
    blue, green, red = cv2.split(picture)
    return np.asarray(cv2.min(cv2.min(blue, green), red), np.uint8)


def shapes(bright: Picture) -> list[Shape]:
    """The bright shapes of a picture of `brightness`, the largest first, at most three."""
    height, width = bright.shape[0] // _HALF, bright.shape[1] // _HALF
    half = cv2.resize(bright, (width, height), interpolation=cv2.INTER_AREA)
    level, lit = cv2.threshold(half, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    if level < _DARKEST_PAPER and float(half.max()) < _DARKEST_PAPER + _LEAST_CONTRAST:
        return []
    mask = np.asarray(cv2.morphologyEx(lit, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    _close_cuts(mask)
    contours, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    large = sorted(((cv2.contourArea(one), place) for place, one in enumerate(contours)), reverse=True)
    found = []
    for area, place in large[:_MOST_FOUND]:
        if area >= _LEAST_AREA * width * height:
            contour = np.asarray(contours[place], np.int32).reshape(-1, 2)
            found.append(_shape(bright, contour, (width, height), area * _HALF**2))
    return found


def _close_cuts(mask: Picture) -> None:
    """Make the picture's border bright between the outermost bright places on it: ink that the picture cuts
    off is no ground.
    """
    for border in (mask[0], mask[-1], mask[:, 0], mask[:, -1]):
        lit = np.flatnonzero(border)
        if len(lit):
            border[lit[0] : lit[-1]] = 255


def _shape(bright: Picture, contour: NDArray[np.int32], size: tuple[int, int], area_px: float) -> Shape:
    points = contour.astype(np.float32)
    inside = (
        (points[:, 0] >= _BORDER_PX)
        & (points[:, 1] >= _BORDER_PX)
        & (points[:, 0] < size[0] - _BORDER_PX)
        & (points[:, 1] < size[1] - _BORDER_PX)
    )
    low, high = points.min(0), points.max(0)
    x, y = (low + high) * (_HALF / 2)
    sides = _sides(bright, points, inside)
    length = float(np.hypot(*(high - low))) * _HALF
    return Shape(float(x), float(y), length, area_px, sides, bool(inside.all()))


def _sides(bright: Picture, points: Points, inside: NDArray[np.bool_]) -> Lines | None:
    """The sides of a contour in pixels of the whole picture; None where it has not the form of a card."""
    along = np.roll(points, -_STEP, 0) - np.roll(points, _STEP, 0)
    clear = inside & np.roll(inside, _STEP) & np.roll(inside, -_STEP) & (np.abs(along).sum(1) > _STEP)
    if np.count_nonzero(clear) < 2 * _LEAST_SIDE_PX:
        return None
    angles = np.arctan2(along[:, 1], along[:, 0])
    fourfold = np.exp(4j * angles[clear]).mean()
    if abs(fourfold) < _SQUARENESS:
        return None
    first = math.atan2(fourfold.imag, fourfold.real) / 4
    # Which of the four directions a point's edge runs in; contours go round one way.
    quarter = np.round((angles - first) / (math.pi / 2))
    off = np.abs(angles - first - quarter * (math.pi / 2))
    which = np.where(clear & (off < 0.3), quarter.astype(np.int64) % 4, -1)
    found = [_line(points[which == side]) for side in range(4)]
    one, two, three, four = (None if line is None else _refined(bright, line) for line in found)
    sides = (one, two, three, four)
    return sides if sum(side is not None for side in sides) >= 3 else None


def _line(points: Points) -> Points | None:
    """A straight side through points: its two ends (4 numbers, half pixels); None where they lie on none."""
    if len(points) < _LEAST_SIDE_PX:
        return None
    vx, vy, x, y = cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    for _ in range(2):
        away = np.abs((points[:, 0] - x) * vy - (points[:, 1] - y) * vx)
        near = points[away < max(_CROOKED_PX, 2 * float(np.median(away)))]
        if len(near) < _LEAST_SIDE_PX or len(near) < 0.6 * len(points):
            return None
        vx, vy, x, y = cv2.fitLine(near, cv2.DIST_L2, 0, 0.01, 0.01).ravel()
    along = (near[:, 0] - x) * vx + (near[:, 1] - y) * vy
    begin, end = float(along.min()), float(along.max())
    return np.array([x + begin * vx, y + begin * vy, x + end * vx, y + end * vy], np.float32)


def _refined(bright: Picture, ends: Points) -> Points | None:
    """The same side in pixels of the whole picture, moved to where brightness changes most: its ends."""
    begin = ends[:2] * _HALF + (_HALF - 1) / 2
    way = (ends[2:] - ends[:2]) * _HALF
    length = float(np.hypot(*way))
    if length < 2 * _LEAST_SIDE_PX:
        return None
    direction = way / length
    normal = np.array([-direction[1], direction[0]], np.float32)
    share = np.linspace(0.06, 0.94, _SAMPLES, dtype=np.float32)
    middle = begin + share[:, None] * way
    reach = np.arange(-_REACH_PX, _REACH_PX + 0.1, 0.5, dtype=np.float32)
    spots = middle[:, None, :] + reach[None, :, None] * normal
    profile = cv2.remap(bright, spots[:, :, 0], spots[:, :, 1], cv2.INTER_LINEAR).astype(np.float32)
    # Where the step is: the middle of the change, not its steepest place, which noise moves.
    low, high = np.sort(profile, 1)[:, [3, -4]].T
    rising = profile[:, -3:].mean(1) > profile[:, :3].mean(1)
    share_bright = ((profile - low[:, None]) / np.maximum(high - low, 1)[:, None]).clip(0, 1).sum(1)
    step = np.where(rising, len(reach) - share_bright, share_bright) - 0.5
    good = high - low > _LEAST_CONTRAST
    if np.count_nonzero(good) < _SAMPLES // 2:
        return None
    at = middle + (step / 2 - _REACH_PX)[:, None] * normal
    fitted = _line_of(at[good].astype(np.float32))
    along = (np.stack([begin, begin + way]) - fitted[:2]) @ fitted[2:]
    return np.concatenate([fitted[:2] + along[0] * fitted[2:], fitted[:2] + along[1] * fitted[2:]])


def _line_of(points: Points) -> Points:
    vx, vy, x, y = cv2.fitLine(points, cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
    return np.array([x, y, vx, vy], np.float32)
