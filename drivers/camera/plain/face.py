"""The whole face of a card in a coarse grid: how dark each place is and what colour it has, and which card
looks so.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.flat import COARSE

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
_EDGE = 2
"""Cells along each side that tell nothing: there the ground begins, and the corners are round."""
_WIDE = 25
"""Cells over which light may change; what is wider is no print."""
_COLOUR = 1.2
"""How much colour weighs against darkness."""


def coarse(canvas: Picture) -> Picture:
    """The canvas in cells, in colour."""
    size = (canvas.shape[1] // COARSE, canvas.shape[0] // COARSE)
    return np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)


def traits(cells: Picture) -> Floats:
    """What a face in cells looks like whatever the light: rows, columns, and darkness, red and blue at
    each.
    """
    levels = cells.astype(np.float32)
    blue, green, red = cv2.split(levels)
    darkest = cv2.min(cv2.min(blue, green), red)
    paper = np.float32(max(float(np.percentile(darkest[::2, ::2], 90)), 1.0))
    ink = darkest / paper
    ink -= cv2.blur(ink, (_WIDE, _WIDE))
    colours = [(one - green) / paper for one in (red, blue)]
    colours = [one - np.float32(np.median(one[::2, ::2])) for one in colours]
    found = np.stack([ink, *(_COLOUR * one for one in colours)], axis=2)
    found[:_EDGE] = found[-_EDGE:] = 0
    found[:, :_EDGE] = found[:, -_EDGE:] = 0
    return np.asarray(found, np.float32)


class Faces:
    """The faces of a deck, each both ways up."""

    def __init__(self, faces: NDArray[np.uint8]) -> None:
        both = [traits(turned) for face in faces for turned in (face, np.ascontiguousarray(face[::-1, ::-1]))]
        self._rows = np.stack([one.ravel() for one in both])
        self._squares = (self._rows**2).reshape(len(both), -1, 3).sum(2)
        self._norms = np.sqrt(self._squares.sum(1))
        self._apart = self._compared(self._rows, None)

    @property
    def apart(self) -> Floats:
        """How far each face is from each other one, at their better ways up: 0 is the same."""
        alike = self._apart[::2].reshape(len(self._rows) // 2, -1, 2).max(2)
        return np.asarray(1 - alike, np.float32)

    def alike(self, seen: Floats, mask: Floats) -> Floats:
        """How much a face (`traits`) is like each, at its better way up, where `mask` (cells, 1 or 0) has
        it: -1 to 1.
        """
        return self._best(seen.ravel(), mask)

    def apart_from(self, card: int, mask: Floats) -> Floats:
        """How far each face is from this one, as far as `mask` has them."""
        if mask.all():
            likeness = self._apart[2 * card].reshape(-1, 2).max(1)
        else:
            likeness = np.maximum(*(self._best(self._rows[2 * card + turn], mask) for turn in (0, 1)))
        return np.asarray(1 - likeness, np.float32)

    def _best(self, row: Floats, mask: Floats) -> Floats:
        return np.asarray(self._compared(row[None], mask)[0].reshape(-1, 2).max(1), np.float32)

    def _compared(self, rows: Floats, mask: Floats | None) -> Floats:
        if mask is None or mask.all():
            norms = self._norms
        else:
            rows = rows * np.repeat(mask.ravel(), 3)
            norms = np.sqrt(self._squares @ mask.ravel())
        lengths = np.linalg.norm(rows, axis=1)[:, None]
        return np.asarray(rows @ self._rows.T / np.maximum(lengths * norms, 1e-6), np.float32)
