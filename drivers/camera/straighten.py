"""From a picture to a profile: find a line code, turn it straight, average its rows.

The bars of a code are the one place of a picture where many strong edges run the same way. The structure
tensor says where that is and which way they run, however weak the contrast and however strong the noise;
Otsu's threshold cuts the place out. The rows of a code all say the same, so their average is far clearer
than any of them, and what is only in a few of them, a scratch, is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.symbols import Floats

Picture = NDArray[np.uint8]
_BLOCK = 4
_STEP = 2 * _BLOCK
"""The place is sought in blocks of 4 x 4 in a picture of half size, 8 pixels of the whole one."""
_FAINT = 4.0
_MOST_PLACES, _SECOND = 2, 0.3
"""A second place must have this share of the power of the first: print on a card has less, a mark more."""
_BANDS = 12
_LAGS = 4
"""Pixels by which bars may lean from one band to the next."""
MARGIN_PX = 22
"""Pixels of paper at either end of a profile."""
_SMALLEST = (80, 4)


@dataclass(frozen=True, slots=True)
class MarkPlace:
    """A rectangle in the picture: `angle` (radians) runs across the bars, `along` and `down` are its ends in
    pixels on axes turned by that angle about the picture's corner.
    """

    angle: float
    along: tuple[float, float]
    down: tuple[float, float]

    @property
    def centre(self) -> tuple[float, float]:
        """The middle, in pixels of the picture."""
        x, y = sum(self.along) / 2, sum(self.down) / 2
        cos, sin = math.cos(self.angle), math.sin(self.angle)
        return x * cos - y * sin, x * sin + y * cos

    @property
    def length(self) -> float:
        """The length across the bars, in pixels."""
        return self.along[1] - self.along[0]


def find(grey: Picture) -> list[MarkPlace]:
    """The places that look like line codes, the likeliest first and at most two; none where nothing does."""
    size = (grey.shape[1] // _STEP, grey.shape[0] // _STEP)
    if min(size) < 4:
        return []
    half = cv2.resize(grey, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    half = cv2.GaussianBlur(half, (3, 3), 0)
    across, down = cv2.Sobel(half, cv2.CV_32F, 1, 0), cv2.Sobel(half, cv2.CV_32F, 0, 1)
    # The two parts of the tensor that know a direction; noise has none and cancels out.
    even = _blocks(across * across - down * down, size)
    odd = _blocks(2 * across * down, size)
    power = np.sqrt(even * even + odd * odd)
    strongest = math.sqrt(float(power.max()))
    if strongest < _FAINT:
        return []
    grades = (np.sqrt(power) * (255 / strongest)).astype(np.uint8)
    _, mask = cv2.threshold(grades, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    count, labels = cv2.connectedComponents(mask)
    sums = np.bincount(labels.ravel(), weights=power.ravel(), minlength=count)
    sums[0] = 0
    likely = np.argsort(-sums)[:_MOST_PLACES]
    return [
        _extent(labels == label, even, odd) for label in likely if sums[label] > _SECOND * sums[likely[0]]
    ]


def profile(grey: Picture, place: MarkPlace) -> Floats | None:
    """Darkness along a code, one value a pixel: the place turned straight, its rows averaged; the code begins
    and ends near `MARGIN_PX` pixels from the ends. None if the place is too small.
    """
    width = int(place.length) + 2 * MARGIN_PX
    height = int(place.down[1] - place.down[0])
    if width < _SMALLEST[0] or height < _SMALLEST[1]:
        return None
    cos, sin = math.cos(place.angle), math.sin(place.angle)
    left, top = place.along[0] - MARGIN_PX, place.down[0]
    turn = np.array([[cos, -sin, left * cos - top * sin], [sin, cos, left * sin + top * cos]])
    straight = cv2.warpAffine(
        grey,
        turn,
        (width, height),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    bands = cv2.resize(straight, (width, min(_BANDS, height)), interpolation=cv2.INTER_AREA)
    return _merged(255 - bands.astype(np.float32))


def _blocks(field: object, size: tuple[int, int]) -> Floats:
    small = cv2.resize(np.asarray(field, np.float32), size, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.boxFilter(small, -1, (3, 3)), np.float32)


def _extent(chosen: NDArray[np.bool_], even: Floats, odd: Floats) -> MarkPlace:
    """Which way the edges run there, and where they begin and end, along and down."""
    angle = 0.5 * math.atan2(float(odd[chosen].sum()), float(even[chosen].sum()))
    rows, columns = np.nonzero(chosen)
    weight = even[rows, columns] * math.cos(2 * angle) + odd[rows, columns] * math.sin(2 * angle)
    weight = np.maximum(weight, 0)
    x, y = (columns + 0.5) * _STEP, (rows + 0.5) * _STEP
    cos, sin = math.cos(angle), math.sin(angle)
    along = _ends(x * cos + y * sin, weight, 0.12)
    down = _ends(y * cos - x * sin, weight, 0.5)
    return MarkPlace(angle, along, down)


def _ends(place: NDArray[np.float64], weight: Floats, share: float) -> tuple[float, float]:
    """The ends of the strongest run in which the weight is at least this share of its peak."""
    first = float(place.min()) - _STEP
    steps = ((place - first) / _STEP).astype(np.int32)
    heights = np.convolve(np.bincount(steps, weights=weight, minlength=3), (0.25, 0.5, 0.25), "same")
    # The second highest is the peak: a card's own edge may stand in one step alone.
    high = np.flatnonzero(heights >= share * np.partition(heights, -2)[-2])
    runs = np.split(high, np.flatnonzero(np.diff(high) > 3) + 1)
    run = max(runs, key=lambda run: float(heights[run].sum()))
    return first + float(run[0]) * _STEP, first + float(run[-1] + 1) * _STEP


def _merged(bands: Floats) -> Floats:
    """One row of several: moved until the bars stand upright, then averaged without the most unlike."""
    count = len(bands)
    if count >= 4:
        bands = _upright(bands)
    if count >= 8:
        bands = np.sort(bands, axis=0)[count // 5 : count - count // 5]
    return np.asarray(bands.mean(0), np.float32)


def _upright(bands: Floats) -> Floats:
    """Move each band by what the bars lean, which may differ between left and right."""
    count, width = bands.shape
    fine = bands - cv2.blur(bands, (31, 1))
    core = width - 2 * _LAGS
    upper, half = fine[:-1, _LAGS : _LAGS + core], core // 2
    products = np.stack(
        [upper * fine[1:, _LAGS + lag : _LAGS + lag + core] for lag in range(-_LAGS, _LAGS + 1)]
    )
    left, right = _lean(products[:, :, :half].sum(2)), _lean(products[:, :, half:].sum(2))
    x = np.arange(width, dtype=np.float32)
    lean = (left + right) / 2 + (right - left) / half * (x - width / 2)
    off = np.arange(count, dtype=np.float32)[:, None] - (count - 1) / 2
    moved = np.clip(x + lean * off, 0, width - 1.001)
    whole = moved.astype(np.int32)
    low = np.take_along_axis(bands, whole, 1)
    return np.asarray(low + (np.take_along_axis(bands, whole + 1, 1) - low) * (moved - whole), np.float32)


def _lean(scores: Floats) -> float:
    """By how many pixels a band stands off the one above it (median); scores by lag and pair of bands."""
    best = scores.argmax(0)
    pairs = np.arange(scores.shape[1])
    inner = np.clip(best, 1, len(scores) - 2)
    low, peak, high = (scores[inner + step, pairs] for step in (-1, 0, 1))
    bend = np.minimum(low - 2 * peak + high, -1e-6)
    part = np.clip(0.5 * (low - high) / bend, -0.5, 0.5)
    return float(np.median(np.where(best == inner, inner + part, best))) - _LAGS
