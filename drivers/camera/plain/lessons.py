"""Where the pictures of a deck come from: a folder whose files name the cards, or cards that pass a camera in
an order.

A file `8S.png` (or `8S-2.jpg`, one picture more of the same card) shows the eight of spades, `joker.png`,
`back.png` and `cut.png` what their names say. Of cards that pass, in a video or before a camera, the order
says which is which.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import cv2

from drivers.camera import CameraShoe
from drivers.camera.plain.learn import CannotLearn, whole_card
from drivers.camera.plain.library import OTHERS, RANKS, SUITS, Library
from drivers.camera.plain.outline import Picture, brightness, shapes
from drivers.camera.plain.reader import DeckReader
from drivers.camera.source_kind import kind_of
from drivers.camera.sources import PICTURE_ENDINGS, RecordingOver, coloured, open_source

FACTORY_ORDER = tuple(rank + suit for suit in SUITS for rank in RANKS)
_KEPT, _GAP = 3, 2
"""Pictures of a card that are kept, and pictures without one that end it."""


def pictures_of(
    camera: CameraShoe, order: Sequence[str], tell: Callable[[str], None]
) -> dict[str, list[Picture]]:
    """The pictures of each card by its name, seen as these settings say. `tell` is told which card is wanted
    next, where they pass in an order.

    Raises CannotLearn, CameraGone.
    """
    source = camera.source
    if kind_of(source) == "stills":
        return _folder(Path(source))
    found: dict[str, list[Picture]] = {}
    passing = _passing(camera)
    for place, card in enumerate(order):
        tell(f"{place + 1} of {len(order)}: show {card}")
        shown = next(passing, None)
        if shown is None:
            raise CannotLearn(f"{source} ended before {card}: {place} of {len(order)} cards were seen")
        found[card] = shown
    return found


def checked(library: Library, pictures: dict[str, list[Picture]]) -> dict[str, list[str]]:
    """What the reader says of each picture of a deck: the card's name, `unread`, or another name, which is
    wrong.
    """
    reader = DeckReader([library])
    said: dict[str, list[str]] = {}
    for card, shown in pictures.items():
        said[card] = []
        for picture in shown:
            found = reader.read(picture)
            names = [one.name for one in found if one.verdict in ("card", "other")]
            said[card].append(names[0] if len(found) == len(names) == 1 else "unread")
    return said


def _folder(folder: Path) -> dict[str, list[Picture]]:
    found: dict[str, list[Picture]] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix.lower() not in PICTURE_ENDINGS:
            continue
        name = path.stem.partition("-")[0]
        card = name.upper() if name.lower().rstrip("0123456789") not in OTHERS else name.lower()
        picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
        if picture is None:
            raise CannotLearn(f"{path}: no picture")
        found.setdefault(card, []).append(coloured(picture))
    if not found:
        raise CannotLearn(f"{folder}: no pictures in it; needed are files as AS.png")
    return found


def _passing(settings: CameraShoe) -> Iterator[list[Picture]]:
    """The pictures of one card after the other: those in which it is seen whole and lies nearest to the
    middle.
    """
    camera = open_source(settings)
    shown: list[tuple[float, Picture]] = []
    gone = 0
    while True:
        try:
            taken = camera.next()
        except RecordingOver:
            break
        if taken is None:
            continue
        picture = taken[1]
        shape = whole_card(picture)
        if shape is not None:
            off = abs(shape.x_px - picture.shape[1] / 2) + abs(shape.y_px - picture.shape[0] / 2)
            shown = sorted([*shown, (off, picture)], key=lambda one: one[0])[:_KEPT]
            gone = 0
        elif not shapes(brightness(picture)):
            gone += 1
            if shown and gone >= _GAP:
                yield [each for _, each in shown]
                shown = []
    if shown:
        yield [each for _, each in shown]
