"""The index in a card's corner: found by what cards of one rank, and of one suit, have in common, then
compared.

Over the corners of a whole deck the ink of a place varies with the rank, with the suit, or with both (pips,
pictures). Where it varies with the suit alone is the suit's sign, where it varies with the rank alone above
that is the rank's. Nobody says where an index is, how large it is or what it looks like, nor that it looks
alike on every card: pictures may have a larger sign than pips have. Each way a sign looks is a form of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain.outline import brightness

Picture = NDArray[np.uint8]
Floats = NDArray[np.float32]
Box = tuple[int, int, int, int]
"""Left, top, width, height in pixels of the canvas."""
SHIFT_PX = 6
"""So far from its place an index may lie: the print, the edge that was found and a bend."""
_SMOOTH_PX = 1.2
_APART = 0.22
"""Share of the largest variance that a place of the index has."""
_LEAST_PX, _MARGIN_PX, _EDGE_PX = 7, 2, 4
_INKED = 0.35
"""Share of a sign's darkest ink that still belongs to it."""
_TALLEST = 1.7
"""Height by width of a suit's sign: what is taller has another sign joined to it."""
_SAME_FORM, _MOST_FORMS = 0.8, 3
"""Likeness of two cells that show one form of a sign, and how many forms are learnt of one."""
_FOUND = 0.7
"""Likeness from which on something is taken for an index."""
_STRONG = 18.0
"""Standard deviation in grey levels below which nothing varies with the suit."""


@dataclass(frozen=True, slots=True)
class Index:
    """Where the two signs are in a corner, and what they look like: ink of 8 bits, one above the other.

    All signs in their first form, then all in their next one: sign `n` of 13 is at `n`, `13 + n` and so on.
    """

    rank_box: Box
    suit_box: Box
    ranks: tuple[Picture, ...]
    suits: tuple[Picture, ...]


@dataclass(frozen=True, slots=True)
class Signs:
    """How much a corner is like each form of each rank and each suit (-1 to 1), and how far off its place the
    index lies that is most like it: right and down, in pixels; 0 where there is none.
    """

    ranks: Floats
    suits: Floats
    off_px: Floats
    rank: Picture
    suit: Picture
    """The ink where each is most like one, in the size of its box."""


def find_index(corners: Mapping[tuple[str, str], Floats], ranks: str, suits: str) -> Index | None:
    """The index of a deck from one corner of each card (ink, 0 to 255), by rank and suit; None if there is
    none.
    """
    blurred = {card: cv2.GaussianBlur(corner, (0, 0), _SMOOTH_PX) for card, corner in corners.items()}
    whole = np.array([[blurred[rank, suit] for suit in suits] for rank in ranks], np.float32)
    middle = whole.mean((0, 1))
    by_rank = ((whole.mean(1) - middle) ** 2).mean(0)
    by_suit = ((whole.mean(0) - middle) ** 2).mean(0)
    rest = ((whole - middle) ** 2).mean((0, 1)) - by_rank - by_suit
    suit_box = _suit_box(by_suit - rest, whole.mean(0))
    if suit_box is None:
        return None
    rank_box = _rank_box(by_rank - rest, suit_box)
    if rank_box is None:
        return None
    shown = np.array([[corners[rank, suit] for suit in suits] for rank in ranks], np.float32)
    return Index(
        rank_box,
        suit_box,
        _forms(_cut(shown, rank_box).swapaxes(0, 1)),
        _forms(_cut(shown, suit_box)),
    )


def ink(corner: Picture) -> Picture:
    """The darkness of a corner, from paper (0) on, as 8 bits: red ink is as dark as black."""
    darkest = brightness(corner)
    paper = max(float(np.percentile(darkest[::4, ::4], 85)), 1.0)
    return np.asarray(cv2.convertScaleAbs(255 - np.minimum(darkest * (255 / paper), 255)), np.uint8)


def alike(ink: Picture, box: Box, signs: tuple[Picture, ...]) -> tuple[Floats, Floats]:
    """How much the ink of a corner is like each sign, at its best place near the box: -1 to 1. And how far
    off the box that place is: right and down, in pixels.
    """
    left, top, width, height = box
    x, y = max(0, left - SHIFT_PX), max(0, top - SHIFT_PX)
    window = ink[y : top + height + SHIFT_PX, x : left + width + SHIFT_PX]
    found = [cv2.minMaxLoc(cv2.matchTemplate(window, sign, cv2.TM_CCOEFF_NORMED)) for sign in signs]
    likeness = np.array([most for _, most, _, _ in found], np.float32)
    off = np.array([place for _, _, _, place in found], np.float32) - (left - x, top - y)
    # A window without any ink is like everything, says OpenCV.
    return np.nan_to_num(likeness).clip(-1, 0.9999), off.astype(np.float32)


def apart(signs: tuple[Picture, ...]) -> Floats:
    """How far each sign (row) is from each other one, at their best place over each other: 0 is the same."""
    found = []
    for sign in signs:
        padded = np.pad(sign, SHIFT_PX, mode="edge")
        found.append(1 - alike(padded, (SHIFT_PX, SHIFT_PX, sign.shape[1], sign.shape[0]), signs)[0])
    return np.array(found, np.float32)


def blurred(index: Index, by_px: float) -> Index:
    """The index as a camera sees it that is out of focus: signs blurred by so many pixels (deviation)."""
    if not by_px:
        return index

    def blur(signs: tuple[Picture, ...]) -> tuple[Picture, ...]:
        return tuple(np.asarray(cv2.GaussianBlur(sign, (0, 0), by_px), np.uint8) for sign in signs)

    return replace(index, ranks=blur(index.ranks), suits=blur(index.suits))


def signs_of(corner: Picture, index: Index) -> Signs:
    """What a corner shows of an index."""
    inked = ink(corner)
    ranks, rank_off = alike(inked, index.rank_box, index.ranks)
    suits, suit_off = alike(inked, index.suit_box, index.suits)
    at_rank, at_suit = rank_off[int(ranks.argmax())], suit_off[int(suits.argmax())]
    off = (at_rank + at_suit) / 2
    found = min(float(ranks.max()), float(suits.max())) >= _FOUND
    return Signs(
        ranks,
        suits,
        off if found else np.zeros_like(off),
        _at(inked, index.rank_box, at_rank),
        _at(inked, index.suit_box, at_suit),
    )


def joined(one: Signs, other: Signs, index: Index) -> list[tuple[Floats, Floats]]:
    """How much both corners of a card laid over each other are like each rank and each suit: all ink of
    both, for print that is worn off in one of them, and the ink that both have, for dirt in one.

    A sign of another design is the same in both corners: it becomes no more like one of this design.
    """
    return [
        (
            alike(over(one.rank, other.rank), (0, 0, *index.rank_box[2:]), index.ranks)[0],
            alike(over(one.suit, other.suit), (0, 0, *index.suit_box[2:]), index.suits)[0],
        )
        for over in (np.maximum, np.minimum)
    ]


def _at(inked: Picture, box: Box, off_px: Floats) -> Picture:
    """The ink in a box that lies so far off, which is within the corner."""
    left, top, width, height = box
    x, y = left + round(float(off_px[0])), top + round(float(off_px[1]))
    return inked[y : y + height, x : x + width]


def _forms(cells: Floats) -> tuple[Picture, ...]:
    """The forms of signs, from what shows all of them (first axis; a rank shows all suits) and each sign
    (second axis).
    """
    left, found = list(range(len(cells))), list[Picture]()
    while left and len(found) < _MOST_FORMS * cells.shape[1]:
        most = max(
            ([other for other in left if _same_form(cells[one], cells[other])] for one in left), key=len
        )
        found += [_mean(list(cells[most, sign])) for sign in range(cells.shape[1])]
        left = [one for one in left if one not in most]
    return tuple(found)


def _same_form(one: Floats, other: Floats) -> bool:
    """Whether two that show all signs show them in the same form."""
    pairs = zip(one.astype(np.uint8), other.astype(np.uint8), strict=True)
    return all(float(apart((each, another))[0, 1]) <= 1 - _SAME_FORM for each, another in pairs)


def _suit_box(varies: Floats, inks: Floats) -> Box | None:
    """The leftmost place that varies with the suit alone (pips lie further in), and what is joined to it in
    the ink of each suit.
    """
    strongest = float(varies.max())
    if strongest < _STRONG**2:
        return None
    mask = (varies > _APART * strongest).astype(np.uint8)
    mask[:_EDGE_PX] = mask[:, :_EDGE_PX] = 0
    closed = cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((7, 7), np.uint8))
    _, _, stats, middles = cv2.connectedComponentsWithStats(closed)
    found = [
        (float(middles[place][0]), stats[place])
        for place in range(1, len(stats))
        if min(stats[place][2], stats[place][3]) >= _LEAST_PX
    ]
    if not found:
        return None
    x, y, w, h = (int(value) for value in min(found, key=lambda each: each[0])[1][:4])
    return _grown(_joined((x, y, w, h), inks), varies.shape)


def _joined(box: Box, inks: Floats) -> Box:
    """The box with all of the signs of which it shows a part."""
    left, top, width, height = box
    right, bottom = left + width, top + height
    for ink in inks:
        mask = (ink > _INKED * float(_cut(ink, box).max())).astype(np.uint8)
        mask[:_EDGE_PX] = mask[:, :_EDGE_PX] = 0
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        for place in set(np.unique(_cut(labels, box)).tolist()) - {0}:
            x, y, w, h = (int(value) for value in stats[place][:4])
            if h <= _TALLEST * w:
                left, top = min(left, x), min(top, y)
                right, bottom = max(right, x + w), max(bottom, y + h)
    return left, top, right - left, bottom - top


def _rank_box(varies: Floats, suit: Box) -> Box | None:
    """What varies with the rank alone above the suit's sign, as far to its right as to its left."""
    middle = suit[0] + suit[2] / 2
    above = varies[: suit[1] + 2 * _MARGIN_PX, : round(2 * middle)]
    if not above.size or float(above.max()) < _STRONG**2:
        return None
    mask = (above > _APART * float(above.max())).astype(np.uint8)
    mask[:_EDGE_PX] = mask[:, :_EDGE_PX] = 0
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    left = int(np.argmax(mask.sum(0) >= 3))
    mask[:, round(2 * middle - left) :] = 0
    rows, columns = np.nonzero(mask.sum(1) >= 2)[0], np.nonzero(mask.sum(0) >= 2)[0]
    if len(rows) < _LEAST_PX or len(columns) < _LEAST_PX:
        return None
    x, y, w, h = columns[0], rows[0], columns[-1] + 1 - columns[0], rows[-1] + 1 - rows[0]
    return _grown((int(x), int(y), int(w), int(h)), varies.shape)


def _grown(box: Box, shape: tuple[int, ...]) -> Box:
    left, top = max(0, box[0] - _MARGIN_PX), max(0, box[1] - _MARGIN_PX)
    right, bottom = min(shape[1], box[0] + box[2] + _MARGIN_PX), min(shape[0], box[1] + box[3] + _MARGIN_PX)
    return left, top, right - left, bottom - top


def _cut(corners: Floats, box: Box) -> Floats:
    left, top, width, height = box
    return corners[..., top : top + height, left : left + width]


def _mean(cells: list[Floats]) -> Picture:
    return np.asarray(np.rint(np.mean(cells, axis=0)).clip(0, 255), np.uint8)
