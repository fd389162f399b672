"""Which pixel is which module? Start and stop at the ends of a profile, and the maps that they allow.

Start and stop are sought by correlation, at every width of a module and both ways round. The widths at both
ends say how many symbols lie between, and how much perspective draws one end together.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from drivers.camera.code128 import STOP_MODULES, SYMBOL_MODULES
from drivers.camera.straighten import MARGIN_PX
from drivers.camera.symbols import (
    COARSE_SAMPLES,
    END_MODULES,
    QUIET_BEFORE_START,
    Floats,
    begins,
    endings,
)

Modules = NDArray[np.float64]
FEWEST_SYMBOLS, MOST_SYMBOLS = 3, 30
_WIDTHS = 1.6 * 1.06 ** np.arange(26)
"""Widths of a module that are tried, 1.6 to 6.9 pixels."""
_POSITIONS = 60
_OUTSIDE = 10.0
"""Modules before the seeming begin of the code at which a quiet zone may begin; inwards it is more, since a
card's own edge may seem to be the first bar.
"""
_QUIET = (QUIET_BEFORE_START, END_MODULES - STOP_MODULES)
_FLAT = 9.0
"""Variance in square grey levels below which nothing is a likeness."""
_KEPT = 2
_PAIRS, _WORSE = 3, 0.35
"""So many pairs of start and stop are tried, if their likenesses together are not worse by this."""
_STRONGEST_PERSPECTIVE = 0.5
PERSPECTIVES: Modules = 0.02 * np.arange(-3.0, 4.0)
"""By so much the perspective of a map may be off."""
_SYMBOLS_OFF = 0.7


@dataclass(frozen=True, slots=True)
class Map:
    """From modules to pixels of a row: the left edge of the first bar, the right edge of the last, how many
    symbols stand before the stop, and by how much modules are wider at the left than on the average.
    """

    row: Floats
    left: float
    right: float
    symbols: int
    perspective: float

    @property
    def modules(self) -> int:
        """Modules from the first bar to the last."""
        return SYMBOL_MODULES * self.symbols + STOP_MODULES

    def pixels(self, module: Modules, more: Modules | float = 0.0) -> Modules:
        """Where in the row modules lie (0 is the middle of the first pixel), with `more` perspective."""
        share, bend = module / self.modules, self.perspective + more
        return self.left + (self.right - self.left) * share * (1 + bend) / (1 + bend * share) - 0.5


@dataclass(frozen=True, slots=True)
class _End:
    likeness: float
    x: float
    module_px: float


def maps_of(forward: Floats) -> list[Map]:
    """The maps of a profile that the best few pairs of a start and a stop allow; none where no pair fits.
    Perspective is known roughly, by a `PERSPECTIVES`.
    """
    backward = np.ascontiguousarray(forward[::-1])
    width = len(forward)
    # Each end is sampled once, from outside to inside; the mark may stand on its head.
    left_starts, left_stops, right_starts, right_stops = _seek(np.concatenate((forward, backward)))
    pairs: list[tuple[float, Floats, _End, _End]] = []
    for row, lefts, rights in ((forward, left_starts, right_stops), (backward, right_starts, left_stops)):
        mirrored = [_End(end.likeness, width - end.x, end.module_px) for end in rights]
        pairs += [(a.likeness + b.likeness, row, a, b) for a in lefts for b in mirrored if a.x < b.x]
    pairs.sort(key=lambda pair: -pair[0])
    good = [pair for pair in pairs[:_PAIRS] if pair[0] > pairs[0][0] - _WORSE]
    return [each for _, row, a, b in good for each in _between(row, a, b)]


def at(row: Floats, x: Modules) -> Floats:
    """The row between its pixels, by straight lines; beyond its ends it stays as it is there."""
    inside = np.clip(x, 0, len(row) - 1.001)
    whole = inside.astype(np.int32)
    low = row[whole]
    return np.asarray(low + (row[whole + 1] - low) * (inside - whole), np.float32)


def _between(row: Floats, a: _End, b: _End) -> list[Map]:
    # In perspective the geometric mean of the widths at both ends is the mean width.
    symbols = ((b.x - a.x) / math.sqrt(a.module_px * b.module_px) - STOP_MODULES) / SYMBOL_MODULES
    perspective = math.sqrt(a.module_px / b.module_px) - 1
    if abs(perspective) > _STRONGEST_PERSPECTIVE:
        return []
    counts = range(math.ceil(symbols - _SYMBOLS_OFF), math.floor(symbols + _SYMBOLS_OFF) + 1)
    return [
        Map(row, a.x, b.x, count, perspective) for count in counts if FEWEST_SYMBOLS <= count <= MOST_SYMBOLS
    ]


def _seek(rows: Floats) -> list[list[_End]]:
    """Where two rows of one length, one behind the other, are most like a start or a stop, each from a little
    before the margin's end on: starts and stops of the first row, then of the second. Of each the best place
    at each width of a module, and of these the best few that differ. All waves begin with quiet zone.
    """
    width, size = len(rows) // 2, END_MODULES * COARSE_SAMPLES
    steps = (np.arange(_POSITIONS - 1 + size) + 0.5) / COARSE_SAMPLES - _OUTSIDE
    tries = MARGIN_PX + (steps * _WIDTHS[:, None] - 0.5)
    x = np.clip(np.concatenate((tries, tries)), 0, width - 1.001)
    x[len(_WIDTHS) :] += width
    seen = at(rows, x)
    seen -= seen.mean(1, keepdims=True)
    waves, window = _sliding()
    # One product for all waves at all positions, and one for the sums of all windows.
    alike = (seen @ waves).reshape(len(seen), -1, _POSITIONS)
    mean = seen @ window / size
    energy = (seen * seen) @ window - mean * mean * size
    length = np.sqrt(np.maximum(energy, _FLAT * size))
    starts = alike[:, : len(begins())].max(1) / length
    stops = alike[:, len(begins()) :].max(1) / length
    half = len(_WIDTHS)
    return [
        _best(likeness[side], quiet)
        for side in (slice(half), slice(half, None))
        for likeness, quiet in zip((starts, stops), _QUIET, strict=True)
    ]


@cache
def _sliding() -> tuple[Floats, Floats]:
    """The waves of starts, then of stops, at every position, as columns: a product with a row is its likeness
    to each of them there. The second has ones where the waves are.
    """
    size = END_MODULES * COARSE_SAMPLES

    def slid(wave: Floats) -> Floats:
        column = np.zeros((_POSITIONS - 1 + size, _POSITIONS), np.float32)
        for position in range(_POSITIONS):
            column[position : position + size, position] = wave
        return column

    waves = np.concatenate([slid(wave) for wave in (*begins(), *endings()[:, ::-1])], axis=1)
    return waves, slid(np.ones(size, np.float32))


def _best(likeness: Floats, quiet: int) -> list[_End]:
    """The best few places by a likeness for each width of a module and position."""
    best = likeness.argmax(1)
    tops = likeness[np.arange(len(best)), best]
    edges = MARGIN_PX + (best / COARSE_SAMPLES - _OUTSIDE + quiet) * _WIDTHS
    kept: list[_End] = []
    for place in np.argsort(-tops):
        end = _End(float(tops[place]), float(edges[place]), float(_WIDTHS[place]))
        if all(_differ(end, other) for other in kept):
            kept.append(end)
        if len(kept) == _KEPT:
            break
    return kept


def _differ(one: _End, other: _End) -> bool:
    return abs(one.x - other.x) > 2 * one.module_px or abs(math.log(one.module_px / other.module_px)) > 0.12
