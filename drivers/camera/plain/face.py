"""The whole face of a card in a coarse grid: how dark each place is and what colour it has, and which card
looks so.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.flat import COARSE
from drivers.camera.plain.outline import brightness

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
_EDGE = 2
"""Cells along each side that tell nothing: there the ground begins, and the corners are round."""
_WIDE = 25
"""Cells over which light may change; what is wider is no print."""
_COLOUR = 1.2
"""How much colour weighs against darkness."""
_DAZZLED, _PAPER = 250, 235
"""Brightness of a place that is lit too much, and of paper that is lit well."""
_PART, _PRINTED = 8, 0.3
"""Cells of a part of a face, across and down; share of the ink of the fullest part that one must have to
count.
"""


def coarse(canvas: Picture) -> Picture:
    """The canvas in cells, in colour."""
    size = (canvas.shape[1] // COARSE, canvas.shape[0] // COARSE)
    return np.asarray(cv2.resize(canvas, size, interpolation=cv2.INTER_AREA), np.uint8)


def traits(cells: Picture) -> Floats:
    """What a face in cells looks like whatever the light: rows, columns, and darkness, red and blue at
    each.
    """
    levels = cells.astype(np.float32)
    paper = np.percentile(levels[::2, ::2].reshape(-1, 3), 90, axis=0).astype(np.float32)
    blue, green, red = cv2.split(levels / np.maximum(paper, 1.0))
    darkest = cv2.min(cv2.min(blue, green), red)
    ink = darkest - cv2.blur(darkest, (_WIDE, _WIDE))
    colours = [one - green for one in (red, blue)]
    colours = [one - np.float32(np.median(one[::2, ::2])) for one in colours]
    found = np.stack([ink, *(_COLOUR * one for one in colours)], axis=2)
    found[:_EDGE] = found[-_EDGE:] = 0
    found[:, :_EDGE] = found[:, -_EDGE:] = 0
    return np.asarray(found, np.float32)


def undazzled(cells: Picture) -> Floats:
    """Which cells (1 or 0) are not lit so brightly by a lamp's reflection that no print would be seen there:
    as bright as a camera can tell, where the paper of the rest is darker.
    """
    near = cv2.dilate(brightness(cells), np.ones((5, 5), np.uint8))
    dark = near < _DAZZLED if float(np.median(near)) < _PAPER else np.ones(near.shape, bool)
    return np.asarray(dark, np.float32)


class Faces:
    """The faces of a deck; which way up a card lies, nobody says."""

    def __init__(self, faces: NDArray[np.uint8]) -> None:
        self._traits = np.stack([traits(one) for one in faces])
        self._rows = self._traits.reshape(len(faces), -1)
        self._squares = (self._traits**2).sum(3).reshape(len(faces), -1)
        self._norms = np.sqrt(self._squares.sum(1))
        whole = np.ones(self._traits.shape[1:3], np.float32)
        self.apart = np.stack([1 - self.alike(one, whole) for one in self._traits])
        """How far each face is from each other one, at their better ways up: 0 is the same."""

    def alike(self, seen: Floats, mask: Floats) -> Floats:
        """How much a face (`traits`) is like each, at its better way up, where `mask` (cells, 1 or 0) has
        it: -1 to 1.
        """
        way, other = (self._at(one, part) for one, part in ((seen, mask), (_turned(seen), _turned(mask))))
        return np.asarray(np.maximum(way, other), np.float32)

    def _at(self, seen: Floats, mask: Floats) -> Floats:
        """How much a face is like each as it lies."""
        if mask.all():
            shown, norms = seen.ravel(), self._norms
        else:
            shown, norms = (seen * mask[:, :, None]).ravel(), np.sqrt(self._squares @ mask.ravel())
        return np.asarray(self._rows @ shown / np.maximum(np.linalg.norm(shown) * norms, 1e-6), np.float32)

    def least_part(self, card: int, seen: Floats, mask: Floats) -> float:
        """How much is seen (`traits`) of the part of this card's print of which least is seen: 1 is all that
        was learnt, 0 bare paper.
        """
        known = self._traits[card]
        ways = [
            known * part[:, :, None] * one for one, part in ((seen, mask), (_turned(seen), _turned(mask)))
        ]
        turned = float(ways[1].sum()) > float(ways[0].sum())
        learnt = _parts((known**2).sum(2) * (_turned(mask) if turned else mask))
        printed = learnt >= _PRINTED * learnt.max()
        return float((_parts(ways[turned].sum(2))[printed] / learnt[printed]).min())

    def apart_from(self, card: int, mask: Floats) -> Floats:
        """How far each face is from this one, as far as `mask` has them."""
        if mask.all():
            return np.asarray(self.apart[card], np.float32)
        one = self._traits[card]
        return np.asarray(1 - np.maximum(*(self.alike(way, mask) for way in (one, _turned(one)))), np.float32)


def _turned(cells: Floats) -> Floats:
    return cells[::-1, ::-1]


def _parts(cells: Floats) -> Floats:
    """What lies in each part of a face, on average; the parts lie half over each other."""
    rows, columns = (-length % _PART for length in cells.shape)
    means = cv2.blur(np.pad(cells, ((0, rows), (0, columns))), (_PART, _PART))
    return np.asarray(means[_PART // 2 :: _PART // 2, _PART // 2 :: _PART // 2], np.float32)
