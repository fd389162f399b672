"""Where cards lie on a felt: bright things with four straight sides, of about a card's form, far smaller than
the picture.

A card may lie at any turn, and the camera may look at the table at a slant. What is found is laid upright and
brought to one size, alone on a dark ground, as the reader of plain cards expects a card. Cards that touch or
lie over each other are not found, nor is one that is covered: that only means that it is not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.outline import Picture, brightness

Points = NDArray[np.float32]
Contour = NDArray[np.int32]
HEIGHT_PX = 440
"""Of a card as it is handed on."""
_MARGIN = 0.09
"""Ground around a card, as a share of its height."""
LEAST_WIDTH_PX = 60
"""Of a card in the picture: below that an index is four pixels high."""
_LARGEST = 0.6
"""Share of the picture's height."""
_LEVELS = (130, 100, 160, 75, 190)
"""Grey levels that are tried: felt, printed lines and light differ from place to place."""
_LARGEST_INK = 0.01
"""Share of the picture: larger cards have enough paper around their ink."""
_PEN = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (11, 11))
"""Print on the cloth is drawn with thinner lines."""
_NARROWEST, _WIDEST = 0.5, 0.97
"""Width by height of a card at a slant."""
_FILLED = 0.93
"""Share of its four sides' area that a card fills: its corners are round."""
_SAME_PLACE = 0.2
"""Share of a card's height by which the middles of two cards are apart at least."""
_SAME_OUTLINE_PX = 1.5
_KEPT_PX = 3
"""So much around a card is kept of the picture; the rest, and what lies there, is made ground."""


@dataclass(frozen=True, slots=True)
class Found:
    """One thing of a card's form: its middle in the picture, how high it would be as a card (pixels), and the
    outlines that it has at the different levels.
    """

    x_px: float
    y_px: float
    height_px: float
    outlines: list[tuple[Contour, Points]]

    def is_at(self, x_px: float, y_px: float) -> bool:
        return math.hypot(self.x_px - x_px, self.y_px - y_px) < _SAME_PLACE * self.height_px


def find(picture: Picture) -> list[Found]:
    """All that may be cards in a picture (blue, green, red)."""
    bright = brightness(picture)
    found: list[Found] = []
    for level in _LEVELS:
        for contour in _outlines(cv2.threshold(bright, level, 255, cv2.THRESH_BINARY)[1]):
            quad = _quad(contour, picture.shape[0])
            if quad is None:
                continue
            x, y = (float(value) for value in quad.mean(0))
            same = next((one for one in found if one.is_at(x, y)), None)
            if same is None:
                found.append(same := Found(x, y, float(np.linalg.norm(quad[3] - quad[0])), []))
            if not any(float(np.abs(quad - other).max()) < _SAME_OUTLINE_PX for _, other in same.outlines):
                same.outlines.append((contour, quad))
    return found


def _outlines(lit: NDArray[np.generic]) -> Iterator[Contour]:
    """Of what is bright, as if the ink in it were paper (a picture may leave little paper around it), without
    thin lines that are printed on the cloth.
    """
    filled = np.array(lit, np.uint8)
    contours, nested = cv2.findContours(filled.copy(), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    most = _LARGEST_INK * filled.size
    for contour, (_, _, _, within) in zip(contours, () if nested is None else nested[0], strict=True):
        if within >= 0 and cv2.contourArea(contour) < most:
            cv2.drawContours(filled, [contour], -1, 255, cv2.FILLED)
    opened = cv2.morphologyEx(filled, cv2.MORPH_OPEN, _PEN)
    for contour in cv2.findContours(opened, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)[0]:
        yield np.asarray(contour, np.int32)


def _quad(contour: Contour, picture_height: int) -> Points | None:
    """The four sides' corners of a card's outline, from the left end of a short side on, with the clock; None
    where it has not the form of a card.
    """
    _, size, _ = cv2.minAreaRect(contour)
    if min(size) < LEAST_WIDTH_PX or max(size) > _LARGEST * picture_height:
        return None
    hull = cv2.convexHull(contour)
    quad = cv2.approxPolyN(hull, 4).reshape(-1, 2).astype(np.float32)
    if len(quad) != 4:
        return None
    area = float(cv2.contourArea(quad))
    if float(cv2.contourArea(contour)) < _FILLED * area:
        return None
    one, following = quad[1] - quad[0], quad[2] - quad[1]
    if one[0] * following[1] < one[1] * following[0]:
        quad = quad[::-1]
    lengths = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    even, odd = float(lengths[0] + lengths[2]), float(lengths[1] + lengths[3])
    if not _NARROWEST < min(even, odd) / max(even, odd) < _WIDEST:
        return None
    return np.ascontiguousarray(quad if even < odd else np.roll(quad, -1, 0))


def alone(picture: Picture, contour: Contour, quad: Points, aspect: float) -> Picture:
    """The card upright and of one size, on a ground that is even."""
    margin = _MARGIN * HEIGHT_PX
    width, height = aspect * HEIGHT_PX, float(HEIGHT_PX)
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) + margin
    onto = cv2.getPerspectiveTransform(quad, target.astype(np.float32))
    size = (round(width + 2 * margin), round(height + 2 * margin))
    x, y, w, h = cv2.boundingRect(contour)
    left, top = max(0, x - 2 * _KEPT_PX), max(0, y - 2 * _KEPT_PX)
    part = picture[top : y + h + 2 * _KEPT_PX, left : x + w + 2 * _KEPT_PX].copy()
    card = np.zeros(part.shape[:2], np.uint8)
    cv2.drawContours(card, [cv2.convexHull(contour) - (left, top)], -1, 255, cv2.FILLED)
    near = cv2.dilate(card, np.ones((2 * _KEPT_PX + 1, 2 * _KEPT_PX + 1), np.uint8))
    ring = part[(near > 0) & (card == 0)]
    ground = np.median(ring, axis=0) if len(ring) else np.zeros(3)
    ground = np.minimum(ground, 60)
    part[near == 0] = ground
    shift = np.array([[1, 0, left], [0, 1, top], [0, 0, 1]], np.float64)
    shown = cv2.warpPerspective(
        part,
        onto @ shift,
        size,
        flags=cv2.INTER_CUBIC,
        borderMode=cv2.BORDER_CONSTANT,
        borderValue=tuple(float(level) for level in ground),
    )
    return np.asarray(shown, np.uint8)
