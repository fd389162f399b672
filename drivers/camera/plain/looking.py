"""What a camera sees while it is mounted, with what the reader finds drawn in, and in words: for people."""

from __future__ import annotations

from textwrap import wrap

import cv2
import numpy as np

from drivers.camera.brightness import light_of as brightness_of
from drivers.camera.light import in_words, to_mend
from drivers.camera.plain.evidence import Evidence
from drivers.camera.plain.flat import HEIGHT_PX, PX_PER_MM, SHARP, Flat, aspect_of, lay_flat
from drivers.camera.plain.index import Box
from drivers.camera.plain.library import Library
from drivers.camera.plain.outline import Picture, Shape, brightness, shapes
from drivers.camera.plain.reader import DeckReader, Sighting

Colour = tuple[int, int, int]
GOOD, BAD, INDEX = (0, 200, 0), (0, 0, 230), (230, 120, 0)
"""Blue, green, red: a card that is told, what is not told, the index."""
LETTER_PX, LINE_PX = 9, 20
"""Of what is written into a picture: more than a letter is wide, and from line to line."""
LEAST_PX_PER_MM = 3.0
"""Below that an index is a few pixels."""


class Looking:
    """Draws; with a library it reads as well."""

    def __init__(self, library: Library | None) -> None:
        self._library = library
        self._reader = None if library is None else DeckReader([library])

    def look(self, picture: Picture) -> tuple[Picture, list[str]]:
        """The picture (blue, green, red) with outlines and indices drawn in, and a line for the light and for
        each thing that is seen."""
        drawn = picture.copy()
        lines = [light_of(picture)]
        seen = (
            self._reader.read(picture)
            if self._reader
            else [Sighting(shape, "unclear") for shape in shapes(brightness(picture))]
        )
        for sighting in seen:
            flat = self._flat(picture, sighting.shape)
            told = sighting.verdict in ("card", "other")
            good = told if self._reader else flat is not None
            if flat is not None:
                self._outline(drawn, flat, GOOD if good else BAD)
            else:
                middle = round(sighting.shape.x_px), round(sighting.shape.y_px)
                cv2.circle(drawn, middle, 12, BAD, 2)
            lines.append(f"{self._said(sighting, flat)}{measured(flat)}")
        if not seen:
            lines.append("nothing in view")
        _write(drawn, lines)
        return drawn, lines

    def _flat(self, picture: Picture, shape: Shape) -> Flat | None:
        if self._library is not None:
            return lay_flat(picture, shape, self._library.aspect, self._library.height_px)
        found = aspect_of(shape)
        return None if found is None else lay_flat(picture, shape, *found)

    def _outline(self, drawn: Picture, flat: Flat, colour: Colour) -> None:
        height, width = flat.canvas.shape[:2]
        _frame(drawn, flat, (0, 0, width, height), colour)
        if self._library is None:
            return
        index = self._library.index
        for which in (0, 1):
            if flat.corners[which]:
                for box in (index.rank_box, index.suit_box):
                    _frame(drawn, flat, _in_corner(box, which, width, height), INDEX)

    def _said(self, sighting: Sighting, flat: Flat | None) -> str:
        if sighting.verdict in ("card", "other"):
            return sighting.name
        if flat is None:
            return (
                "no card that is seen whole" if self._library is None else "no whole card of the deck's size"
            )
        if self._library is None:
            return "a card"
        if sighting.verdict == "foreign":
            return "a card of another design"
        return f"not read{_why(sighting.evidence)}"


def light_of(picture: Picture) -> str:
    """How bright ground and paper of a picture are, and what to do about it."""
    light = brightness_of(brightness(picture))
    return "; ".join((in_words(light), *to_mend(light)))


def measured(flat: Flat | None) -> str:
    """Size and sharpness of a card that lies flat."""
    if flat is None:
        return ""
    size = flat.height_px * PX_PER_MM / HEIGHT_PX
    small = " (too small: nearer)" if size < LEAST_PX_PER_MM else ""
    soft = " (not sharp: focus, or a shorter exposure)" if flat.sharpness < SHARP else ""
    return f": {size:.1f} pixels a mm{small}, sharpness {flat.sharpness:.0f}{soft}"


def _why(evidence: Evidence | None) -> str:
    """What is not clear enough."""
    if evidence is None:
        return ""
    likeness = f"rank {evidence.rank:.2f}, suit {evidence.suit:.2f}, face {evidence.face:.2f}"
    return f" (most like {evidence.card}: {likeness})"


def _in_corner(box: Box, which: int, width: int, height: int) -> Box:
    """Where a sign of a corner lies on the canvas."""
    left, top, wide, high = box
    return box if which == 0 else (width - left - wide, height - top - high, wide, high)


def _frame(drawn: Picture, flat: Flat, box: Box, colour: Colour) -> None:
    left, top, wide, high = box
    edges = np.array(
        [[left, top], [left + wide, top], [left + wide, top + high], [left, top + high]], np.float64
    )
    there = np.c_[edges, np.ones(4)] @ flat.back.T
    corners = np.rint(there[:, :2] / there[:, 2:]).astype(np.int32)
    cv2.polylines(drawn, [corners.reshape(-1, 1, 2)], isClosed=True, color=colour, thickness=2)


def _write(drawn: Picture, lines: list[str]) -> None:
    """Words on a dark band at the top, as many lines as they take."""
    fitted = [part for line in lines for part in wrap(line, max(20, drawn.shape[1] // LETTER_PX))]
    drawn[: 10 + LINE_PX * len(fitted)] //= 3
    for number, line in enumerate(fitted):
        place = (8, LINE_PX * (number + 1))
        cv2.putText(drawn, line, place, cv2.FONT_HERSHEY_SIMPLEX, 0.5, (255, 255, 255), 1, cv2.LINE_AA)
