"""Felts with cards on them, drawn: at any turn and slant, with chips, print on the cloth, light and noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.scene import CARD_MM, Picture

SIZE_PX = (1920, 1080)
_FINER = 3
CLOTHS = ((60, 95, 20), (95, 55, 25), (45, 40, 110), (70, 70, 70), (40, 60, 30))
"""Blue, green, red."""


@dataclass(frozen=True, slots=True)
class Felt:
    """How a camera sees the table: `card_px` is the width of a card in the middle, `slant_deg` how far from
    straight above it looks.
    """

    card_px: float = 76.0
    slant_deg: float = 0.0
    cloth: tuple[int, int, int] = CLOTHS[0]
    ink: tuple[int, int, int] = (200, 215, 220)
    """Of the print on the cloth."""
    light: float = 0.85
    slope: float = 0.0
    blur_px: float = 0.5
    noise: float = 2.5
    jpeg: int = 0
    size_px: tuple[int, int] = SIZE_PX


Lying = tuple[Picture, float, float, float]
"""A face, its middle on the table (shares of the picture's width and height) and its turn in degrees."""


def seen(cards: Sequence[Lying], felt: Felt, dice: np.random.Generator, chips: int = 0) -> Picture:
    """The picture of a table: blue, green, red."""
    width, height = felt.size_px
    picture = np.empty((height, width, 3), np.uint8)
    picture[:] = felt.cloth
    weave = dice.normal(0, 5, (height // 2, width // 2)).astype(np.float32)
    picture = np.clip(picture + cv2.resize(weave, (width, height))[:, :, None], 0, 255).astype(np.uint8)
    for number in range(4):
        # The layout: boxes and words that are printed on the cloth.
        x, y = int((0.1 + 0.22 * number) * width), int(0.78 * height)
        cv2.rectangle(picture, (x, y), (x + 260, y + 150), felt.ink, 3, cv2.LINE_AA)
        cv2.putText(picture, "TIE 8:1", (x + 30, y + 90), cv2.FONT_HERSHEY_DUPLEX, 1.4, felt.ink, 3)
    high = felt.card_px / 63 * CARD_MM
    for _ in range(chips):
        x, y = int(dice.uniform(0.05, 0.95) * width), int(dice.uniform(0.1, 0.95) * height)
        if all(math.hypot(x - a * width, y - b * height) > high for _, a, b, _ in cards):
            chip(picture, (x, y), felt.card_px * 0.31, dice)
    onto = _from_above(felt)
    for face, across, down, turn in cards:
        _put(picture, face, onto @ _lay(face, across * width, down * height, turn, felt))
    picture = cv2.GaussianBlur(picture, (0, 0), felt.blur_px) if felt.blur_px else picture
    slope = 1 + felt.slope * np.linspace(-1, 1, width, dtype=np.float32)[None, :, None]
    levels = picture * slope * np.float32(felt.light)
    levels += dice.standard_normal(levels.shape, np.float32) * np.float32(felt.noise)
    shown = np.clip(levels, 0, 255).astype(np.uint8)
    if felt.jpeg:
        coded = cv2.imencode(".jpg", shown, (cv2.IMWRITE_JPEG_QUALITY, felt.jpeg))[1]
        shown = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return shown


def chip(picture: Picture, at: tuple[int, int], radius_px: float, dice: np.random.Generator) -> None:
    """A chip with marks on its rim; some are white."""
    colour = tuple(int(level) for level in dice.choice([(240, 240, 240), (40, 40, 190), (30, 30, 30)]))
    cv2.circle(picture, at, round(radius_px), colour, -1, cv2.LINE_AA)
    for turn in range(0, 360, 60):
        cv2.ellipse(picture, at, (round(radius_px * 0.9),) * 2, turn, 0, 22, (235, 235, 235), 4, cv2.LINE_AA)
    cv2.circle(picture, at, round(radius_px * 0.6), (220, 220, 220), 2, cv2.LINE_AA)


def places(count: int, dice: np.random.Generator, felt: Felt) -> list[tuple[float, float, float]]:
    """Places where so many cards lie apart, at any turn."""
    high = felt.card_px / 63 * CARD_MM
    width, height = felt.size_px
    found: list[tuple[float, float, float]] = []
    for _ in range(4000):
        x, y = float(dice.uniform(0.08, 0.92)), float(dice.uniform(0.12, 0.88))
        if all(math.hypot((x - a) * width, (y - b) * height) > 1.35 * high for a, b, _ in found):
            found.append((x, y, float(dice.uniform(0, 360))))
        if len(found) == count:
            break
    return found


def _lay(face: Picture, x: float, y: float, turn_deg: float, felt: Felt) -> NDArray[np.float64]:
    high, wide = face.shape[:2]
    scale = felt.card_px / 63 * CARD_MM / high
    turn = math.radians(turn_deg)
    cos, sin = scale * math.cos(turn), scale * math.sin(turn)
    middle = np.array([[1, 0, -wide / 2], [0, 1, -high / 2], [0, 0, 1]])
    return np.array([[cos, -sin, x], [sin, cos, y], [0, 0, 1]]) @ middle


def _from_above(felt: Felt) -> NDArray[np.float64]:
    """From the picture straight from above to the one at a slant."""
    width, height = felt.size_px
    slant, away = math.radians(felt.slant_deg), 2.2 * height
    middle = np.array([[1, 0, -width / 2], [0, 1, -height / 2], [0, 0, 1]])
    slanted = np.array([[1, 0, 0], [0, math.cos(slant), 0], [0, math.sin(slant) / away, 1]])
    return np.linalg.inv(middle) @ slanted @ middle


def middle_of(across: float, down: float, felt: Felt) -> tuple[float, float]:
    """Where such a place of the table is in the picture (pixels)."""
    x, y, w = _from_above(felt) @ np.array([across * felt.size_px[0], down * felt.size_px[1], 1.0])
    return float(x / w), float(y / w)


def _put(picture: Picture, face: Picture, onto: NDArray[np.float64]) -> None:
    """Draw a face finely and make it small, as a lens does."""
    high, wide = face.shape[:2]
    edges = np.array([[[0, 0], [wide, 0], [wide, high], [0, high]]], np.float64)
    corners = cv2.perspectiveTransform(edges, onto)[0]
    left, top = (int(value) - 2 for value in corners.min(0))
    across, down = (int(value) + 3 - least for value, least in zip(corners.max(0), (left, top), strict=True))
    large = np.diag([_FINER, _FINER, 1.0]) @ np.array([[1, 0, -left], [0, 1, -top], [0, 0, 1.0]]) @ onto
    # Outside the drawing there is paper, not black: the edge of the card is in what is solid alone.
    drawn = cv2.warpPerspective(
        face[:, :, :3], large, (across * _FINER, down * _FINER), borderMode=cv2.BORDER_REPLICATE
    )
    solid = cv2.warpPerspective(face[:, :, 3], large, (across * _FINER, down * _FINER))
    paper, share = (
        cv2.resize(one, (across, down), interpolation=cv2.INTER_AREA).astype(np.float32)
        for one in (drawn, solid)
    )
    share = np.asarray(share[:, :, None] / 255, np.float32)
    rows = slice(max(0, top), min(picture.shape[0], top + down))
    columns = slice(max(0, left), min(picture.shape[1], left + across))
    part = (slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))
    under = picture[rows, columns] * (1 - share[part])
    picture[rows, columns] = paper[part] * share[part] + under


SMALL = Felt(size_px=(960, 540))


def row_of(cards: str, dice: np.random.Generator, felt: Felt = SMALL) -> Picture:
    """Cards of our own deck, side by side with some cloth between them, as a dealer lays them."""
    named = cards.split()
    lies = [
        (face_of(card), 0.11 + 0.155 * (place % 6), 0.25 + 0.4 * (place // 6), float(dice.uniform(-6, 6)))
        for place, card in enumerate(named)
    ]
    return seen(lies, felt, dice)
