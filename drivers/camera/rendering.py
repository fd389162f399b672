"""Pictures of cards for tests, bench and demo: a card with a mark, as a camera would see it.

A card is drawn flat, twice as fine as the picture; scratches are on the card. Then it is placed: moved,
turned, tilted in perspective, seen in a mirror. Then the camera adds its part: motion, blur, contrast, noise.
Everything comes from the settings and the given generator of chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera import code128

Picture = NDArray[np.uint8]
Symbology = Literal["code128", "qr"]
FINE = 2
"""Pixels of a flat card for one of the picture."""
PAPER, INK, FELT = 235, 25, 60
_DISTANCE_PX = 900.0
"""From the eye to the card, in pixels of the picture: how strong perspective is."""
_MIDDLE_GREY = 110
_NOISE_SIDE = 1200


@dataclass(frozen=True, slots=True)
class Pose:
    """Where a card lies: its middle off the middle of the picture, turned in the picture, tilted about its
    upright axis and about its level one, seen in a mirror.
    """

    x_px: float = 0.0
    y_px: float = 0.0
    turn_deg: float = 0.0
    tilt_deg: float = 0.0
    lean_deg: float = 0.0
    mirrored: bool = False


@dataclass(frozen=True, slots=True)
class Optics:
    """What the camera does: standard deviation of its blur, way of a motion while the picture is taken and
    its direction, contrast (1 is full), standard deviation of its noise in grey levels, size of the picture.
    """

    blur_px: float = 0.6
    motion_px: float = 0.0
    motion_deg: float = 0.0
    contrast: float = 1.0
    noise: float = 3.0
    width_px: int = 640
    height_px: int = 480


def card(text: str, symbology: Symbology = "code128", module_px: int = 3) -> Picture:
    """A flat card with the mark of a text; a blank one where the text is empty."""
    mark = _mark(text, symbology)
    scaled = cv2.resize(mark, None, fx=module_px * FINE, fy=module_px * FINE, interpolation=cv2.INTER_NEAREST)
    edge = 3 * module_px * FINE
    height, width = scaled.shape[0] + 8 * edge, scaled.shape[1] + 2 * edge
    flat = np.full((height, width), PAPER, np.uint8)
    flat[4 * edge : 4 * edge + scaled.shape[0], edge : edge + scaled.shape[1]] = scaled
    # Other print: an index and a pip, which are no marks and must not trouble a reader.
    size = edge / 22
    cv2.putText(flat, "A", (edge, 3 * edge), cv2.FONT_HERSHEY_SIMPLEX, size, 40, max(1, round(2 * size)))
    cv2.circle(flat, (width - 2 * edge, height - 2 * edge), edge, 70, -1)
    return flat


def scratched(flat: Picture, scratches: int, dice: np.random.Generator) -> Picture:
    """The card with scratches across its middle, dark or light, of any direction."""
    worn = flat.copy()
    height, width = worn.shape
    for _ in range(scratches):
        x, y = dice.uniform(0, width), dice.uniform(0.25 * height, 0.75 * height)
        angle, length = dice.uniform(0, math.pi), dice.uniform(0.1, 0.5) * width
        end = (int(x + length * math.cos(angle)), int(y + length * math.sin(angle)))
        shade, thick = int(dice.choice((30, 120, PAPER))), int(dice.integers(2, 10))
        cv2.line(worn, (int(x), int(y)), end, shade, thick, cv2.LINE_AA)
    return worn


def picture(
    cards: Sequence[tuple[Picture, Pose]], optics: Optics, dice: np.random.Generator, ground: int = FELT
) -> Picture:
    """What the camera sees of flat cards in their poses, later ones above earlier ones."""
    size = (optics.width_px, optics.height_px)
    seen = np.full((optics.height_px, optics.width_px), ground, np.uint8)
    for flat, pose in cards:
        placed = flat[:, ::-1] if pose.mirrored else flat
        cv2.warpPerspective(
            np.ascontiguousarray(placed),
            _projection(flat, pose, size),
            size,
            dst=seen,
            flags=cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_TRANSPARENT,
        )
    if optics.motion_px > 1:
        seen = np.asarray(cv2.filter2D(seen, -1, _motion(optics.motion_px, optics.motion_deg)), np.uint8)
    if optics.blur_px > 0:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), optics.blur_px), np.uint8)
    levels = seen.astype(np.float32)
    if optics.contrast != 1:
        levels = (levels - _MIDDLE_GREY) * np.float32(optics.contrast) + _MIDDLE_GREY
    if optics.noise > 0:
        levels += _noise(seen.shape, dice) * np.float32(optics.noise)
    return np.clip(np.rint(levels), 0, 255).astype(np.uint8)


def _mark(text: str, symbology: Symbology) -> Picture:
    """The mark with its quiet zone, one pixel a module (a line code has a third of its length as height)."""
    if symbology == "qr" and text:
        encoder = cv2.QRCodeEncoder.create()
        matrix = np.asarray(encoder.encode(text), np.uint8)
        inked = np.where(matrix > 127, PAPER, INK).astype(np.uint8)
        return cv2.copyMakeBorder(inked, 4, 4, 4, 4, cv2.BORDER_CONSTANT, value=PAPER).astype(np.uint8)
    row = np.where(np.array(code128.bars(text) if text else [0] * 80), INK, PAPER).astype(np.uint8)
    return np.tile(row, (max(12, min(40, len(row) // 3)), 1))


def _projection(flat: Picture, pose: Pose, size: tuple[int, int]) -> NDArray[np.float64]:
    """From pixels of the flat card to pixels of the picture."""
    height, width = flat.shape
    turn, tilt, lean = (math.radians(angle) for angle in (pose.turn_deg, pose.tilt_deg, pose.lean_deg))
    centred = np.array([[1 / FINE, 0, -width / 2 / FINE], [0, 1 / FINE, -height / 2 / FINE], [0, 0, 1]])
    away = [math.sin(tilt) / _DISTANCE_PX, math.sin(lean) / _DISTANCE_PX, 1]
    tilted = np.array([[math.cos(tilt), 0, 0], [0, math.cos(lean), 0], away])
    middle = (size[0] / 2 + pose.x_px, size[1] / 2 + pose.y_px)
    turned = np.array(
        [[math.cos(turn), -math.sin(turn), middle[0]], [math.sin(turn), math.cos(turn), middle[1]], [0, 0, 1]]
    )
    return np.asarray(turned @ tilted @ centred, np.float64)


def _motion(length_px: float, angle_deg: float) -> NDArray[np.float32]:
    """The kernel of a straight motion."""
    side, finer = math.ceil(length_px) | 1, 8
    canvas = np.zeros((side * finer, side * finer), np.uint8)
    angle, middle, half = math.radians(angle_deg), side * finer / 2, length_px * finer / 2
    x, y = half * math.cos(angle), half * math.sin(angle)
    ends = ((int(middle - x), int(middle - y)), (int(middle + x), int(middle + y)))
    cv2.line(canvas, *ends, 255, finer)
    kernel = cv2.resize(canvas, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(kernel / kernel.sum(), np.float32)


def _noise(shape: tuple[int, ...], dice: np.random.Generator) -> NDArray[np.float32]:
    """Noise of deviation 1: a part of a large field that is drawn once, at a place drawn each time."""
    height, width = shape
    field = _noise_field(max(_NOISE_SIDE, 2 * max(shape)))
    top, left = dice.integers(0, len(field) - height), dice.integers(0, len(field) - width)
    return field[top : top + height, left : left + width]


@lru_cache(maxsize=2)
def _noise_field(side: int) -> NDArray[np.float32]:
    return np.random.default_rng(128).standard_normal((side, side), np.float32)
