"""Plain cards as a camera sees them, for tests, bench and demo: worn, bent, tilted, moved, badly lit,
blurred.

A face is flat: blue, green, red and what is card (8 bits each), its height `CARD_MM` millimetres. First comes
what has happened to the card, then where it lies, then the lens, the light and the camera. Everything comes
from the values given and the generator of chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
CARD_MM = 88.0
"""The height of a card; its width is the design's."""
_DISTANCE_PX = 1400.0
_NOISE_SIDE = 1024


@dataclass(frozen=True, slots=True)
class Lie:
    """Where a card lies: its middle off the middle of the picture, its turn (0: upright), its tilt about its
    long and its short axis; `skew` is what a rolling shutter does to a card that moves across.
    """

    x_px: float = 0.0
    y_px: float = 0.0
    turn_deg: float = 0.0
    tilt_deg: float = 0.0
    lean_deg: float = 0.0
    skew: float = 0.0
    bend_mm: float = 0.0


@dataclass(frozen=True, slots=True)
class Damage:
    """What has happened to a card: ink lost in patches (share), scratches and stains (number), what the print
    is off its place, how much ink was used (1 is usual), tint of the paper (blue less by so much of 1).
    """

    worn: float = 0.0
    scratches: int = 0
    stains: int = 0
    off_mm: tuple[float, float] = (0.0, 0.0)
    ink: float = 1.0
    yellow: float = 0.0


@dataclass(frozen=True, slots=True)
class Camera:
    """Size and scale of the picture, and what light, lens and sensor do to it.

    `blur_px` and `noise` are standard deviations, `motion_px` the way of the card while the shutter is open
    and `motion_deg` its direction, `light` the exposure (1 is right), `slope` how much brighter one side is,
    `cast` the gains of blue, green and red, `glare` the strength of a lamp's reflection, `barrel` the bending
    of the lens, `jpeg` the quality of a compression (0: none).
    """

    width_px: int = 640
    height_px: int = 480
    px_per_mm: float = 5.0
    blur_px: float = 0.7
    motion_px: float = 0.0
    motion_deg: float = 90.0
    light: float = 0.85
    slope: float = 0.0
    slope_deg: float = 0.0
    cast: tuple[float, float, float] = (1.0, 1.0, 1.0)
    glare: float = 0.0
    glare_at: tuple[float, float] = (0.5, 0.5)
    barrel: float = 0.0
    noise: float = 2.5
    jpeg: int = 0
    ground: int = 28


def damaged(face: Picture, damage: Damage, dice: np.random.Generator) -> Picture:
    """The face of a card to which this has happened."""
    if damage == Damage():
        return face
    height, width = face.shape[:2]
    card = face[:, :, :3].astype(np.float32)
    px_per_mm = height / CARD_MM
    if damage.off_mm != (0.0, 0.0):
        x, y = (way * px_per_mm for way in damage.off_mm)
        move = np.array([[1, 0, x], [0, 1, y]], np.float32)
        moved = cv2.warpAffine(card, move, (width, height), borderMode=cv2.BORDER_REPLICATE)
        card = np.asarray(moved, np.float32)
    if damage.ink != 1:
        card = 255 - (255 - card) * np.float32(damage.ink)
    if damage.worn > 0:
        coarse, fine = dice.standard_normal((22, 16), np.float32), dice.standard_normal((88, 63), np.float32)
        clouds = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
        field = np.asarray(
            cv2.addWeighted(clouds, 1.0, cv2.resize(fine, (width, height)), 0.5, 0), np.float32
        )
        gone = np.clip((field - np.float32(np.quantile(field[::8, ::8], 1 - damage.worn))) * 3, 0, 0.9)[
            :, :, None
        ]
        card = card * (1 - gone) + 245 * gone
    worn = np.clip(card, 0, 255).astype(np.uint8)
    for _ in range(damage.scratches):
        x, y = dice.uniform(0, width), dice.uniform(0, height)
        angle, length = dice.uniform(0, math.pi), dice.uniform(0.05, 0.4) * height
        shade = int(dice.choice((110, 170, 245)))
        end = (int(x + length * math.cos(angle)), int(y + length * math.sin(angle)))
        cv2.line(worn, (int(x), int(y)), end, (shade, shade, shade), int(dice.integers(1, 4)), cv2.LINE_AA)
    for _ in range(damage.stains):
        stain = np.full_like(worn, 255)
        middle = (int(dice.uniform(0, width)), int(dice.uniform(0, height)))
        axes = (int(dice.uniform(4, 30)), int(dice.uniform(4, 30)))
        colour = tuple(int(c) for c in dice.integers((60, 90, 110), (150, 180, 200)))
        cv2.ellipse(stain, middle, axes, float(dice.uniform(0, 180)), 0, 360, colour, -1)
        worn = cv2.multiply(worn, cv2.GaussianBlur(stain, (0, 0), 2.5), scale=1 / 255).astype(np.uint8)
    if damage.yellow:
        worn = (worn * np.array([1 - damage.yellow, 1 - damage.yellow / 4, 1], np.float32)).astype(np.uint8)
    return np.dstack([worn, face[:, :, 3]])


def seen(cards: Sequence[tuple[Picture, Lie]], camera: Camera, dice: np.random.Generator) -> Picture:
    """The picture of faces where they lie, later ones above earlier ones: blue, green, red."""
    size = (camera.width_px, camera.height_px)
    picture = np.full((camera.height_px, camera.width_px, 3), camera.ground, np.uint8)
    for face, lie in cards:
        _put(picture, _bent(face, lie.bend_mm), lie, camera)
    if camera.barrel:
        # A lens shows more of the world at its border than there was drawn: what lies there goes on.
        bent = cv2.remap(
            picture, *_lens(size, round(camera.barrel, 3)), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        picture = np.asarray(bent, np.uint8)
    if camera.motion_px > 0.7:
        kernel = _motion(round(camera.motion_px, 1), round(camera.motion_deg))
        picture = cv2.filter2D(picture, -1, kernel).astype(np.uint8)
    if camera.blur_px > 0:
        picture = cv2.GaussianBlur(picture, (0, 0), camera.blur_px).astype(np.uint8)
    return _exposed(picture, camera, dice)


def _put(picture: Picture, face: Picture, lie: Lie, camera: Camera) -> None:
    size = (camera.width_px, camera.height_px)
    transform = projection(face.shape[1], face.shape[0], lie, camera)
    small = face.shape[0] / CARD_MM / camera.px_per_mm
    source = face
    if small > 2:
        source = cv2.resize(face, None, fx=2 / small, fy=2 / small, interpolation=cv2.INTER_AREA).astype(
            np.uint8
        )
        fx, fy = face.shape[1] / source.shape[1], face.shape[0] / source.shape[0]
        transform = transform @ np.diag([fx, fy, 1.0])
    placed = cv2.warpPerspective(source, transform, size, flags=cv2.INTER_LINEAR)
    solid = placed[:, :, 3] > 127
    cv2.copyTo(placed[:, :, :3], solid.astype(np.uint8), picture)


def projection(width: float, height: float, lie: Lie, camera: Camera) -> NDArray[np.float64]:
    """From pixels of the flat card to pixels of the picture."""
    turn, tilt, lean = (math.radians(angle) for angle in (lie.turn_deg, lie.tilt_deg, lie.lean_deg))
    scale = camera.px_per_mm * CARD_MM / height
    centred = np.array([[scale, 0, -scale * width / 2], [0, scale, -scale * height / 2], [0, 0, 1]])
    away = [math.sin(tilt) / _DISTANCE_PX, math.sin(lean) / _DISTANCE_PX, 1]
    tilted = np.array([[math.cos(tilt), 0, 0], [0, math.cos(lean), 0], away])
    middle = (camera.width_px / 2 + lie.x_px, camera.height_px / 2 + lie.y_px)
    turned = np.array(
        [[math.cos(turn), -math.sin(turn), middle[0]], [math.sin(turn), math.cos(turn), middle[1]], [0, 0, 1]]
    )
    skewed = np.array([[1, lie.skew, -lie.skew * middle[1]], [0, 1, 0], [0, 0, 1]])
    return np.asarray(skewed @ turned @ tilted @ centred, np.float64)


def _bent(face: Picture, bend_mm: float) -> Picture:
    """A card that lies as an arch, seen from above: its ends are nearer and drawn together."""
    if not bend_mm:
        return face
    height, width = face.shape[:2]
    y = np.linspace(-1, 1, height, dtype=np.float32)
    share = np.float32(bend_mm / CARD_MM)
    rows = ((y + share * (y - y**3)) * 0.5 + 0.5) * (height - 1)
    wide = 1 - share * (1 - y**2)
    columns = np.linspace(-1, 1, width, dtype=np.float32)[None, :] * wide[:, None]
    map_x = (columns * 0.5 + 0.5) * (width - 1)
    map_y = np.repeat(rows[:, None], width, 1)
    return cv2.remap(face, map_x.astype(np.float32), map_y.astype(np.float32), cv2.INTER_LINEAR).astype(
        np.uint8
    )


def _exposed(picture: Picture, camera: Camera, dice: np.random.Generator) -> Picture:
    height, width = picture.shape[:2]
    gains = np.array(camera.cast, np.float32) * np.float32(camera.light)
    if camera.slope or camera.glare:
        x = np.linspace(-1, 1, width, dtype=np.float32)[None, :]
        y = np.linspace(-1, 1, height, dtype=np.float32)[:, None]
        angle = math.radians(camera.slope_deg)
        light = 1 + np.float32(camera.slope) * (x * math.cos(angle) + y * math.sin(angle)).astype(np.float32)
        levels = np.asarray(picture * (light[:, :, None] * gains), np.float32)
        if camera.glare:
            at_x, at_y = (2 * place - 1 for place in camera.glare_at)
            spot = np.exp(-(((x - at_x) * 4) ** 2 + ((y - at_y) * 4) ** 2))
            levels = levels + np.asarray(camera.glare * 255 * spot, np.float32)[:, :, None]
    else:
        levels = np.asarray(picture * gains, np.float32)
    if camera.noise:
        levels = levels + _noise((height, width), dice) * np.float32(camera.noise)
    shown = cv2.convertScaleAbs(np.maximum(levels, 0)).astype(np.uint8)
    if camera.jpeg:
        coded = cv2.imencode(".jpg", shown, (cv2.IMWRITE_JPEG_QUALITY, camera.jpeg))[1]
        shown = np.asarray(cv2.imdecode(coded, cv2.IMREAD_COLOR), np.uint8)
    return shown


@lru_cache(maxsize=64)
def _motion(length_px: float, angle_deg: int) -> Floats:
    side, finer = math.ceil(length_px) | 1, 8
    canvas = np.zeros((side * finer, side * finer), np.uint8)
    angle, middle, half = math.radians(angle_deg), side * finer / 2, length_px * finer / 2
    x, y = half * math.cos(angle), half * math.sin(angle)
    cv2.line(canvas, (int(middle - x), int(middle - y)), (int(middle + x), int(middle + y)), 255, finer)
    kernel = cv2.resize(canvas, (side, side), interpolation=cv2.INTER_AREA).astype(np.float32)
    return np.asarray(kernel / kernel.sum(), np.float32)


@lru_cache(maxsize=16)
def _lens(size: tuple[int, int], barrel: float) -> tuple[Floats, Floats]:
    width, height = size
    x, y = np.meshgrid(
        np.linspace(-1, 1, width, dtype=np.float32),
        np.linspace(-1, 1, height, dtype=np.float32) * height / width,
    )
    out = 1 + np.float32(barrel) * (x * x + y * y)
    map_x, map_y = (x * out + 1) / 2 * (width - 1), (y * out * width / height + 1) / 2 * (height - 1)
    return map_x.astype(np.float32), map_y.astype(np.float32)


def _noise(shape: tuple[int, int], dice: np.random.Generator) -> Floats:
    """Noise of deviation 1 in three colours: a part of a large field, at a place drawn each time."""
    height, width = shape
    field = _noise_field(max(_NOISE_SIDE, width + 256))
    top, left = dice.integers(0, len(field) - height), dice.integers(0, len(field) - width)
    return field[top : top + height, left : left + width]


@lru_cache(maxsize=2)
def _noise_field(side: int) -> Floats:
    return np.random.default_rng(52).standard_normal((side, side, 3), np.float32)
