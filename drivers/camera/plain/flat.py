"""A card laid flat: from its outline in the picture to a canvas on which every card of a design lies alike.

The canvas is four pixels a millimetre, upright, without knowing which of its two ends is up. From it come the
two index corners (in both of them the index stands upright) and the face in a coarse grid.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.outline import Picture, Points, Shape, brightness

Floats = NDArray[np.float32]
PX_PER_MM = 4
"""Of the canvas."""
HEIGHT_PX = 88 * PX_PER_MM
"""Of the canvas: a card is 88 mm high."""
SHARP = 120.0
"""Of a canvas: its sharpness from which on print is told from no print."""
CORNER_PX = (76, 148)
"""Width and height of a corner in which an index is sought."""
COARSE = 4
"""Canvas pixels of a cell of the face."""
_LENGTH_OFF, _ASPECT_OFF = 0.12, 0.05
_SQUARE_OFF = 0.14
"""Largest cosine of the angle between neighbouring sides."""
LEAST_SEEN = 0.6
"""Share of a card that must be in view: half a card is none."""
_COVERED = (0.9, 1.08)
"""How much paper may be found by what such a card would show: less is covered by something, more is
another card.
"""
_PAPER_EVERY = 4
"""One pixel in so many, across and down, tells how bright paper is."""


@dataclass(frozen=True, slots=True)
class Flat:
    """A card on its canvas. `seen` is which cells of the face lie in the picture (1) and which do not (0),
    `corners` whether the upper left and the lower right corner of the canvas do.
    """

    canvas: Picture
    seen: Floats
    corners: tuple[bool, bool]
    height_px: float
    """Of the card in the picture."""
    back: NDArray[np.floating]
    """From a place on the canvas to the one in the picture (3 x 3, homogeneous)."""

    @property
    def sharpness(self) -> float:
        """How much the brightness changes from pixel to pixel: variance of the Laplacian."""
        return float(cv2.Laplacian(brightness(self.canvas), cv2.CV_32F).var())

    def corner(self, which: int) -> Picture:
        """The upper left (0) or lower right corner (1), turned so that its index stands upright."""
        width, height = CORNER_PX
        return self.canvas[:height, :width] if which == 0 else self.canvas[-height:, -width:][::-1, ::-1]

    def in_place(self, off_px: Mapping[int, Floats]) -> Picture:
        """The canvas with its print where the design has it. `off_px`: how far each corner's index is off
        its place, right and down as it stands upright. What moves in at an edge is no print.
        """
        if not off_px:
            return self.canvas
        as_it_lies = [off if which == 0 else -off for which, off in off_px.items()]
        x, y = np.rint(np.mean(as_it_lies, axis=0)).astype(int)
        return np.roll(self.canvas, (-y, -x), (0, 1))


def aspect_of(shape: Shape) -> tuple[float, float] | None:
    """Width by height of a card of which all sides are seen, and its height in pixels; None if they are
    not.
    """
    corners = _corners(shape)
    if corners is None or any(corner is None for corner in corners):
        return None
    quad = np.array(corners, np.float32)
    lengths = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    one, other = float(lengths[0] + lengths[2]) / 2, float(lengths[1] + lengths[3]) / 2
    return min(one, other) / max(one, other), max(one, other)


def lay_flat(picture: Picture, shape: Shape, aspect: float, height_px: float | None) -> Flat | None:
    """The card of a shape on its canvas; None if it is no card with this width by height, or not of about
    this height in pixels (None: of any), or too little of it is seen.
    """
    quad = _quad(shape, aspect, height_px)
    if quad is None:
        return None
    width = round(HEIGHT_PX * aspect)
    target = np.array([[0, 0], [width, 0], [width, HEIGHT_PX], [0, HEIGHT_PX]], np.float32) - 0.5
    onto = cv2.getPerspectiveTransform(quad, target)
    canvas = cv2.warpPerspective(picture, onto, (width, HEIGHT_PX), flags=cv2.INTER_LINEAR)
    back = np.linalg.inv(onto)
    high, wide = picture.shape[:2]
    columns, rows = width // COARSE, HEIGHT_PX // COARSE
    x, y = np.meshgrid(np.arange(columns) * COARSE + COARSE / 2, np.arange(rows) * COARSE + COARSE / 2)
    there = np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    u, v, w = back @ there
    u, v = u / w, v / w
    seen = ((u >= 1) & (v >= 1) & (u < wide - 2) & (v < high - 2)).astype(np.float32).reshape(rows, columns)
    covered = shape.area_px / max(float(cv2.contourArea(quad)) * float(seen.mean()), 1.0)
    if float(seen.mean()) < LEAST_SEEN or not _COVERED[0] < covered < _COVERED[1]:
        return None
    deep, across = CORNER_PX[1] // COARSE, CORNER_PX[0] // COARSE
    corners = bool(seen[:deep, :across].all()), bool(seen[-deep:, -across:].all())
    height = float(np.linalg.norm(quad[3] - quad[0]) + np.linalg.norm(quad[2] - quad[1])) / 2
    return Flat(_papered(np.asarray(canvas, np.uint8), seen), seen, corners, height, back)


def _papered(canvas: Picture, seen: Floats) -> Picture:
    """The canvas with paper where the picture shows nothing: darkness there would be ink to what is beside
    it.
    """
    if seen.all():
        return canvas
    shown = cv2.resize(seen, canvas.shape[1::-1], interpolation=cv2.INTER_NEAREST).astype(np.uint8)
    every = (slice(None, None, _PAPER_EVERY),) * 2
    paper = np.percentile(canvas[every][shown[every] > 0], 90, axis=0)
    papered = np.full_like(canvas, np.rint(paper).astype(np.uint8))
    cv2.copyTo(canvas, shown, papered)
    return papered


def _corners(shape: Shape) -> list[Points | None] | None:
    """The corner after each side, None where one of its sides is not seen; None where they are no right
    angles.
    """
    if shape.sides is None:
        return None
    found: list[Points | None] = []
    for place, side in enumerate(shape.sides):
        following = shape.sides[(place + 1) % 4]
        if side is None or following is None:
            found.append(None)
            continue
        one, other = side[2:] - side[:2], following[2:] - following[:2]
        length = float(np.linalg.norm(one) * np.linalg.norm(other))
        cross = float(one[0] * other[1] - one[1] * other[0])
        if length == 0 or abs(float(one @ other)) > _SQUARE_OFF * length or cross == 0:
            return None
        between = following[:2] - side[:2]
        share = float(between[0] * other[1] - between[1] * other[0]) / cross
        found.append((side[:2] + share * one).astype(np.float32))
    return found


def _quad(shape: Shape, aspect: float, height_px: float | None) -> Points | None:
    """The corners of the card with the clock, from the left end of a short side on; None if it is no such
    card.
    """
    corners = _corners(shape)
    if corners is None:
        return None
    if any(corner is None for corner in corners):
        corners = _grown(shape, corners, aspect, height_px)
    if corners is None:
        return None
    quad = np.array(corners, np.float32)
    one, following = quad[1] - quad[0], quad[2] - quad[1]
    if one[0] * following[1] < one[1] * following[0]:
        quad = quad[::-1]
    even, odd = _lengths(quad)
    if abs(min(even, odd) / max(even, odd) / aspect - 1) > _ASPECT_OFF:
        return None
    if height_px is not None and abs(max(even, odd) / height_px - 1) > _LENGTH_OFF:
        return None
    return np.ascontiguousarray(quad if even < odd else np.roll(quad, -1, 0))


def _lengths(quad: Points) -> tuple[float, float]:
    lengths = np.linalg.norm(np.roll(quad, -1, 0) - quad, axis=1)
    return float(lengths[0] + lengths[2]) / 2, float(lengths[1] + lengths[3]) / 2


def _grown(
    shape: Shape, corners: list[Points | None], aspect: float, height_px: float | None
) -> list[Points | None] | None:
    """Four corners where one side is not seen: they lie where a card of this form and height has them."""
    if height_px is None or shape.sides is None:
        return None
    lacking = next(place for place, side in enumerate(shape.sides) if side is None)
    before, behind, whole = (lacking - 1) % 4, (lacking + 1) % 4, (lacking + 2) % 4
    begin, end = corners[behind], corners[whole]
    if begin is None or end is None:
        return None
    length = float(np.linalg.norm(end - begin))
    if abs(length / height_px - 1) < _LENGTH_OFF:
        other = length * aspect
    elif abs(length / (height_px * aspect) - 1) < _LENGTH_OFF:
        other = length / aspect
    else:
        return None
    grown = list(corners)
    for place, side, corner in ((before, shape.sides[before], end), (lacking, shape.sides[behind], begin)):
        if side is None:
            return None
        way = side[2:] - side[:2]
        if float(way @ ((side[2:] + side[:2]) / 2 - corner)) < 0:
            way = -way
        grown[place] = (corner + way / np.linalg.norm(way) * other).astype(np.float32)
    return grown
