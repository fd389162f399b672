"""Which cards lie on a felt: each thing of a card's form is read by the reader of plain cards.

A deck is learnt before a camera that sees it large. On the felt a card is small: what was learnt is blurred
as much as the felt's camera blurs it, so that like is held against like. What is not certain is not said: a
card that is read too rarely contradicts nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from drivers.camera.felt.finding import HEIGHT_PX, Found, alone, find
from drivers.camera.plain.flat import COARSE
from drivers.camera.plain.flat import HEIGHT_PX as CANVAS_PX
from drivers.camera.plain.library import Library
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader

SIZES_PX = (106, 150, 212)
"""Heights of a card in the picture for which a deck is kept; the nearest is taken."""
_BLUR = 0.5
"""Standard deviation of a camera's own blur, in pixels of its picture."""


@dataclass(frozen=True, slots=True)
class FeltCard:
    """A card that lies face up: its name, its middle and its height in pixels."""

    name: str
    x_px: float
    y_px: float
    height_px: float


class FeltReader:
    """Reads the cards of one or several designs."""

    def __init__(self, libraries: Sequence[Library]) -> None:
        self._aspects = sorted({library.aspect for library in libraries})
        self._readers = {
            size: DeckReader([seen_from_afar(library, size) for library in libraries]) for size in SIZES_PX
        }

    def read(self, picture: Picture) -> list[FeltCard]:
        """The cards of a picture (blue, green, red) that are told for certain."""
        return [card for found in find(picture) if (card := self._card(picture, found)) is not None]

    def _card(self, picture: Picture, found: Found) -> FeltCard | None:
        """The card that something is, where one of its outlines tells it."""
        reader = self._readers[min(SIZES_PX, key=lambda size: abs(size - found.height_px))]
        for contour, quad in found.outlines:
            for aspect in self._aspects:
                sightings = reader.read(alone(picture, contour, quad, aspect))
                if len(sightings) == 1 and sightings[0].verdict == "card":
                    return FeltCard(sightings[0].name, found.x_px, found.y_px, found.height_px)
        return None


def seen_from_afar(library: Library, height_px: float) -> Library:
    """What was learnt of a deck, as sharp as a card of this height shows it, for cards of `HEIGHT_PX`."""
    blur = _BLUR * CANVAS_PX / height_px

    def soft(picture: Picture, sigma: float) -> Picture:
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), sigma, borderType=cv2.BORDER_REPLICATE), np.uint8)

    index = replace(
        library.index,
        ranks=tuple(soft(sign, blur) for sign in library.index.ranks),
        suits=tuple(soft(sign, blur) for sign in library.index.suits),
    )
    faces = np.stack([soft(one, blur / COARSE) for one in library.faces])
    return replace(library, height_px=float(HEIGHT_PX), index=index, faces=faces)
