"""Is something in view? Does it move? Is the picture one at all? Answers from a coarse grid of brightness.

The empty view is learnt: the first calm pictures without a mark, then slowly followed as the light changes.
What is unlike it in a few cells is *something*, read or not, so that a card without a readable mark is not
missed. What does not move for long and shows no mark becomes another empty view: a thing somebody has put
there, or another light.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.wire import Blindness

Picture = NDArray[np.uint8]
Grid = NDArray[np.float32]
_CELLS = (32, 24)
_UNLIKE = 10.0
"""Grey levels by which a cell is unlike, beyond what the whole picture changed."""
_LIGHT = 20.0
"""Grey levels by which the light may change at once; more is something that fills the view."""
_PRESENT_SHARE = 0.03
_MOVED, _MOVED_SHARE = 6.0, 0.015
_NOISES, _NOISIEST = 4.0, 7.0
"""Both levels are raised to so many deviations of what all cells do, which is noise; at most this one."""
_CALM_PICTURES = 3
_FOLLOW = 0.05
_VIEWS = 3
_ADOPT_AFTER_S = 5.0
_BLACK_MEAN, _BLACK_CELL = 16.0, 40.0


class View:
    """What one camera sees over time; one call of `look` and one of `learn` for each picture."""

    def __init__(
        self,
        frames_per_s: int,
        black_after_s: float,
        frozen_after_s: float,
        views: Sequence[bytes] = (),
    ) -> None:
        self._black_after = _pictures(black_after_s, frames_per_s)
        self._frozen_after = _pictures(frozen_after_s, frames_per_s)
        self._adopt_after = _pictures(_ADOPT_AFTER_S, frames_per_s)
        self._grid: Grid | None = None
        known = (np.frombuffer(view, np.uint8) for view in views if len(view) == _CELLS[0] * _CELLS[1])
        self._empty: list[Grid] = [grid.reshape(_CELLS[::-1]).astype(np.float32) for grid in known]
        self._print = 0
        self._noise = 0.0
        self._black = self._same = self._calm = 0
        self.moved = False
        self.present = False
        self.blind: Blindness | None = None
        self.blind_long = False

    @property
    def knows_empty(self) -> bool:
        """Whether the empty view has been learnt, so that `present` means something."""
        return bool(self._empty)

    @property
    def views(self) -> tuple[bytes, ...]:
        """The empty views, for a later one of these."""
        return tuple(np.rint(empty).astype(np.uint8).tobytes() for empty in self._empty)

    def look(self, picture: Picture) -> None:
        """Set `present`, `moved`, `blind` and `blind_long` for this picture (grey, 8 bits, any size)."""
        grid = cv2.resize(picture, _CELLS, interpolation=cv2.INTER_AREA).astype(np.float32)
        mark = zlib.crc32(picture[:: max(1, len(picture) // 60)].tobytes())
        self._same = self._same + 1 if mark == self._print and self._grid is not None else 0
        dark = float(grid.mean()) < _BLACK_MEAN and float(grid.max()) < _BLACK_CELL
        self._black = self._black + 1 if dark else 0
        before, self._grid, self._print = self._grid, grid, mark
        change = np.abs(grid - before) if before is not None else np.zeros_like(grid)
        self._noise = _NOISES * min(1.5 * float(np.median(change)), _NOISIEST)
        self.moved = _share(change, max(_MOVED, self._noise)) > _MOVED_SHARE
        frozen = 0 < self._frozen_after <= self._same
        self.blind = "black" if dark else "frozen" if frozen else None
        self.blind_long = frozen or 0 < self._black_after <= self._black
        self.present = bool(self._empty) and not any(self._alike(grid, empty) for empty in self._empty)
        if self.blind is not None:
            self.present = self.moved = False

    def learn(self, marks: bool) -> bool:
        """Learn from the picture that was looked at last; say whether it is now another empty view. `marks`:
        it showed marks, so it is not empty.
        """
        if self._grid is None or self.blind is not None:
            return False
        self._calm = 0 if marks or self.moved else self._calm + 1
        if self.present or not self._empty:
            adopted = self._calm >= (self._adopt_after if self._empty else _CALM_PICTURES)
            if adopted:
                self._empty = [*self._empty[-(_VIEWS - 1) :], self._grid]
            return adopted
        if not marks:
            self._follow(self._grid)
        return False

    def _follow(self, grid: Grid) -> None:
        """Move the empty view that this picture is like towards it."""
        for place, empty in enumerate(self._empty):
            if self._alike(grid, empty):
                self._empty[place] = empty + (grid - empty) * np.float32(_FOLLOW)
                return

    def _alike(self, grid: Grid, empty: Grid) -> bool:
        change = grid - empty
        light = np.float32(np.clip(np.median(change), -_LIGHT, _LIGHT))
        return _share(np.abs(change - light), max(_UNLIKE, self._noise)) < _PRESENT_SHARE


def _share(change: Grid, levels: float) -> float:
    return float(np.count_nonzero(change > levels)) / change.size


def _pictures(seconds: float, frames_per_s: int) -> int:
    return max(1, round(seconds * frames_per_s)) if seconds else 0
