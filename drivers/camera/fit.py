"""From a profile to symbol values: the mark that explains a profile best, and how well it does.

Of the maps that start and stop allow, the one under which the profile looks most like symbols is bent until
the symbols fit. Then the symbols are chosen so that their blurred sum comes nearest to the profile, each in
turn given its neighbours, with the height from paper to ink and the shading fitted along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from drivers.camera.code128 import START_A, SYMBOL_MODULES
from drivers.camera.maps import MOST_SYMBOLS, PERSPECTIVES, Map, Modules, at, maps_of
from drivers.camera.symbols import (
    COARSE_SAMPLES,
    MIDDLING,
    PLACE,
    SAMPLES,
    Blurred,
    Floats,
    all_shapes,
    blurred,
    coarse_shapes,
    unit,
)

Values = NDArray[np.intp]
_BEGINS = np.arange(MOST_SYMBOLS)[:, None] * SYMBOL_MODULES
_FINE = _BEGINS + (np.arange(PLACE) + 0.5) / SAMPLES
_COARSE = _BEGINS + (np.arange(SYMBOL_MODULES * COARSE_SAMPLES) + 0.5) / COARSE_SAMPLES
"""The modules at which the symbols are sampled, a row each."""
_BENDINGS, _SETTLINGS = 3, 6
_FURTHEST = 0.8
"""Modules by which a symbol may be moved at once."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Symbol values from start to check symbol, and how well they explain the profile.

    `worst` is the mean square of what is left unexplained in the worst symbol, as a share of the height from
    paper to ink; `margin` by how much less it would be explained by the next best value of some symbol, in
    the same unit and summed over that symbol.
    """

    values: tuple[int, ...]
    worst: float
    margin: float


def fit(profile: Floats) -> Fit | None:
    """The best fit; None if no start and stop belong together. It may well be no mark at all."""
    maps = maps_of(profile)
    if not maps:
        return None
    best = _likest(maps)
    seen, blur, values, shares = _bent(best)
    bank = blurred()
    fits = [
        _settled(bank[b], seen, values, shares) for b in range(max(blur - 1, 0), min(blur + 2, len(bank)))
    ]
    return min((each for each in fits if each is not None), key=lambda each: each.worst, default=None)


def _likest(maps: list[Map]) -> Map:
    """The map under which its profile looks most like symbols, with the perspective that does most for it."""
    # All maps in one row of symbols, since it is the number of small steps that takes the time.
    seen = np.concatenate(
        [at(each.row, each.pixels(_COARSE[: each.symbols], PERSPECTIVES[:, None, None])) for each in maps],
        axis=1,
    )
    likeness = (unit(seen) @ coarse_shapes().T).max(2)
    firsts = np.cumsum([0, *(each.symbols for each in maps[:-1])])
    means = np.add.reduceat(likeness, firsts, axis=1) / [each.symbols for each in maps]
    bend, number = np.unravel_index(means.argmax(), means.shape)
    best = maps[number]
    return replace(best, perspective=best.perspective + float(PERSPECTIVES[bend]))


def _bent(first: Map) -> tuple[Floats, int, Values, Modules]:
    """Bend the map to the symbols: the profile at each place, the number of the blur, first values, and how
    far along the mark each sample is (0 to 1).
    """
    symbols, bank = first.symbols, blurred()
    shares = _FINE[:symbols] / first.modules
    bends = _bends(shares)
    terms = np.stack(_bends((np.arange(symbols) + 0.5) * SYMBOL_MODULES / first.modules), 1)
    module_px = (first.right - first.left) / first.modules
    x = first.pixels(_FINE[:symbols])
    blur, every = MIDDLING, np.arange(symbols)
    for turn in range(_BENDINGS):
        seen = unit(at(first.row, x))
        if turn:
            likeness = (seen @ all_shapes().T).reshape(symbols, len(bank), -1)
            blur = int(likeness.max(2).mean(0).argmax())
        look = bank[blur]
        scores = seen @ look.shapes.T
        values = _cheapest(-scores)
        score = scores[every, values]
        rest = seen - look.shapes[values] * score[:, None]
        off = np.clip(-(rest * look.slopes[values]).sum(1) / look.slope_energy[values], -_FURTHEST, _FURTHEST)
        some = terms[:, : 2 + min(turn, 2)]
        weighted = some * (np.maximum(score - 0.5, 0.01) ** 2)[:, None]
        squares = weighted.T @ some + 1e-6 * np.eye(some.shape[1])
        for amount, bend in zip(
            np.linalg.solve(squares, weighted.T @ (off * module_px)), bends, strict=False
        ):
            x = x + amount * bend
    return at(first.row, x), blur, values, shares


def _bends(share: Modules) -> list[Modules]:
    """The ways in which a map may be off: moved, stretched, bowed, twisted."""
    bow = share * (1 - share)
    return [np.ones_like(share), share, bow, bow * (1 - 2 * share)]


def _settled(look: Blurred, seen: Floats, values: Values, shares: Modules) -> Fit | None:
    """Change symbols as long as the sum comes nearer; None if the profile has no height."""
    even = np.arange(len(values)) % 2 == 0
    ground = np.stack([np.ones(seen.size), shares.ravel()], 1)
    for turn in range(_SETTLINGS):
        wave = _sum(look, values)
        basis = np.column_stack([wave.ravel(), ground])
        height, level, shade = np.linalg.solve(
            basis.T @ basis + 1e-3 * np.eye(3), basis.T @ seen.ravel().astype(np.float64)
        )
        if height <= 1:
            return None
        bare = np.asarray((seen - level - shade * shares) / height, np.float32)
        cost = _cost(look, bare, values)
        better = _cheapest(cost)
        if np.array_equal(better, values):
            break
        # Neighbours that change at once may chase each other: every other symbol in turn.
        values = better if turn % 3 == 2 else np.where(even == (turn % 3 == 0), better, values)
    worst = float(((bare - _sum(look, values)) ** 2).mean(1).max())
    two = np.partition(cost[1:, :START_A], 1, axis=1)
    return Fit(tuple(int(value) for value in values), worst, float((two[:, 1] - two[:, 0]).min()))


def _cost(look: Blurred, bare: Floats, values: Values) -> Floats:
    """For each place and symbol value, the square that would be left, given the neighbours (but for what is
    the same for all values).
    """
    cost = look.energy - 2 * (bare @ look.own.T)
    cost[:-1] -= 2 * (bare[1:] @ look.after.T)
    cost[1:] -= 2 * (bare[:-1] @ look.before.T)
    cost[1:] += look.pairs[values[:-1]]
    cost[:-1] += look.pairs[:, values[1:]].T
    cost[-1] += 2 * (look.own @ look.stop_before)
    return np.asarray(cost, np.float32)


def _cheapest(cost: Floats) -> Values:
    """The cheapest value of each place: a start in the first, none elsewhere."""
    values: Values = cost[:, :START_A].argmin(1)
    values[0] = START_A + int(cost[0, START_A:].argmin())
    return values


def _sum(look: Blurred, values: Values) -> Floats:
    """What the symbols, and the stop behind them, leave in each place."""
    wave: Floats = look.own[values]
    wave[1:] += look.after[values[:-1]]
    wave[:-1] += look.before[values[1:]]
    wave[-1] += look.stop_before
    return wave
