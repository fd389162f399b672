"""What Code 128 looks like through a blur: waveforms of all symbols for a handful of blurs.

A waveform is darkness, 0 (paper) to 1 (ink), at `SAMPLES` samples a module. A blurred symbol reaches into
its neighbours; since blurring is linear, what is seen in one symbol's place is the sum of what it and its
two neighbours leave there. That sum is all the model there is.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from drivers.camera import code128
from drivers.camera.code128 import START_A, STOP, STOP_MODULES, SYMBOL_MODULES

Floats = NDArray[np.float32]
Wave = NDArray[np.float64]
SAMPLES, COARSE_SAMPLES = 4, 2
"""Samples a module: for symbols in their places, and while start and stop are sought."""
PLACE = SYMBOL_MODULES * SAMPLES
KINDS = START_A + 3
"""Symbol values that a place may hold: 0 to 102, and the three starts."""
BLURS = (
    (0.3, 0.0),
    (0.5, 0.0),
    (0.65, 0.0),
    (0.8, 0.0),
    (0.95, 0.0),
    (1.1, 0.0),
    (0.4, 2.0),
    (0.4, 3.0),
)
"""Blurs in modules: standard deviation of a soft one, and length of a motion."""
MIDDLING = 2
END_MODULES = 17
"""How much of either end of a mark is sought: quiet zone and start with the first bar behind it, or quiet
zone and stop.
"""
QUIET_BEFORE_START = END_MODULES - SYMBOL_MODULES - 1
_QUIET_BEHIND_STOP = END_MODULES - STOP_MODULES
_PAD = 12


class Blurred:
    """All symbols through one blur; each array has one row a symbol value and `PLACE` samples a row.

    `before`, `own` and `after` are what a symbol leaves in the place before its own, in its own and in the
    one after. `pairs` is twice the overlap of two symbols in a row (row: the first, column: the second),
    `energy` the square of all that a symbol leaves. `shapes` are the symbols as they look before a bar, bare
    of mean and length, `slopes` how these change a module further on.
    """

    def __init__(self, soft: float, motion: float) -> None:
        point = _point(soft, motion)
        pad = [0] * _PAD
        reach = _floats([_wave([*pad, *code128.modules(v), *pad], point) for v in range(KINDS)])
        begin = (_PAD - SYMBOL_MODULES) * SAMPLES
        self.before, self.own, self.after = (
            np.ascontiguousarray(reach[:, begin + step * PLACE : begin + (step + 1) * PLACE])
            for step in range(3)
        )
        stop = _floats(_wave([*pad, *code128.modules(STOP), *pad], point))
        self.stop_before = stop[begin : begin + PLACE]
        self.pairs = 2 * (self.after @ self.own.T + self.own @ self.before.T)
        self.energy = (self.own**2).sum(1) + (self.before**2).sum(1) + (self.after**2).sum(1)
        bar = _floats(_wave([*pad, *[0] * SYMBOL_MODULES, 1, *pad], point))
        self.shapes = unit(self.own + bar[_PAD * SAMPLES : _PAD * SAMPLES + PLACE])
        self.slopes = _floats(np.gradient(self.shapes, axis=1) * SAMPLES)
        self.slope_energy = (self.slopes**2).sum(1)


@cache
def blurred() -> tuple[Blurred, ...]:
    """The symbols through each of `BLURS`."""
    return tuple(Blurred(soft, motion) for soft, motion in BLURS)


@cache
def all_shapes() -> Floats:
    """The shapes through every blur, one behind the other."""
    return np.concatenate([look.shapes for look in blurred()])


@cache
def coarse_shapes() -> Floats:
    """The shapes through a middling blur, at `COARSE_SAMPLES`, for a first look."""
    shapes = blurred()[MIDDLING].shapes
    return unit(shapes.reshape(KINDS, -1, SAMPLES // COARSE_SAMPLES).mean(2))


@cache
def begins() -> Floats:
    """The three starts behind quiet zone, through three blurs, at `COARSE_SAMPLES`; one a row."""
    quiet = [0] * QUIET_BEFORE_START
    return _ends([[*quiet, *code128.modules(value), 1] for value in range(START_A, KINDS)])


@cache
def endings() -> Floats:
    """The stop before quiet zone, in the same way."""
    return _ends([[*code128.modules(STOP), *[0] * _QUIET_BEHIND_STOP]])


def unit(rows: Floats) -> Floats:
    """Rows without their mean and of length 1; flat rows become zeros."""
    bare = rows - rows.mean(-1, keepdims=True)
    length = np.sqrt((bare * bare).sum(-1, keepdims=True))
    return _floats(bare / np.maximum(length, 1e-6))


def _ends(patterns: list[list[int]]) -> Floats:
    inner = slice(_PAD * SAMPLES, -_PAD * SAMPLES)
    waves = _floats(
        [
            _wave([*[pattern[0]] * _PAD, *pattern, *[pattern[-1]] * _PAD], _point(soft, 0.0))[inner]
            for soft in (0.4, 0.7, 1.0)
            for pattern in patterns
        ]
    )
    return unit(waves.reshape(len(waves), -1, SAMPLES // COARSE_SAMPLES).mean(2))


def _wave(pattern: list[int], point: Wave) -> Wave:
    return np.convolve(np.repeat(np.array(pattern, np.float64), SAMPLES), point, "same")


def _point(soft: float, motion: float) -> Wave:
    """What the blur makes of a point."""
    place = np.arange(-6 * SAMPLES, 6 * SAMPLES + 1) / SAMPLES
    point = np.exp(-(place**2) / (2 * soft**2))
    if motion:
        point = np.convolve(point, np.clip((motion / 2 - np.abs(place)) * SAMPLES + 0.5, 0, 1), "same")
    return np.asarray(point / point.sum(), np.float64)


def _floats(rows: object) -> Floats:
    return np.ascontiguousarray(rows, np.float32)
