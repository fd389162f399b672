"""The picture of the page about plain cards: ``python -m tests.plain.pictures FILE``. Everything in it is
drawn.

Above what is read, with the card, its corners' signs and how sure each is; below what is refused, and as
what.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader
from drivers.camera.plain.scene import Camera, Damage, Lie, damaged, seen
from drivers.camera.plain.simulator import SMALL, drawn_pictures

ACROSS = Lie(turn_deg=92.0)
_GREEN, _RED, _WHITE = (90, 220, 90), (70, 70, 240), (240, 240, 240)


def scenes(dice: np.random.Generator) -> list[tuple[str, Picture]]:
    """What is shown, and what it is called."""

    def one(card: str, lie: Lie = ACROSS, damage: Damage | None = None, camera: Camera = SMALL) -> Picture:
        face = damaged(face_of(card), damage or Damage(), dice)
        return seen([(face, lie)], camera, dice)

    covered = one("8S")
    cv2.ellipse(covered, (330, 80), (90, 60), 20, 0, 360, (120, 150, 205), -1)
    two = [(face_of("8S"), Lie(y_px=-35, turn_deg=90)), (face_of("9H"), Lie(y_px=40, x_px=8, turn_deg=93))]
    return [
        ("a good picture", one("8S")),
        ("in motion", one("QD", camera=replace(SMALL, motion_px=3.5))),
        ("little light, noise", one("9C", camera=replace(SMALL, light=0.4, noise=7.0))),
        ("worn and stained", one("KH", damage=Damage(worn=0.04, scratches=8, stains=3))),
        ("half seen", one("8S", replace(ACROSS, y_px=150))),
        ("a hand over it", covered),
        ("two cards", seen(two, SMALL, dice)),
        ("out of focus", one("8S", camera=replace(SMALL, blur_px=7.0))),
        ("its back", one("back")),
        ("a joker", one("joker")),
        ("a dead lamp", one("8S", camera=replace(SMALL, light=0.06))),
        ("glare", one("8S", camera=replace(SMALL, light=1.6, glare=1.4, glare_at=(0.62, 0.4)))),
    ]


def labelled(reader: DeckReader, name: str, picture: Picture) -> Picture:
    """The picture with what the reader says of it."""
    shown, found = picture.copy(), reader.read(picture)
    for sighting in found:
        colour = _GREEN if sighting.verdict == "card" else _RED
        for side in sighting.shape.sides or ():
            if side is not None:
                begin, end = (int(side[0]), int(side[1])), (int(side[2]), int(side[3]))
                cv2.line(shown, begin, end, colour, 2, cv2.LINE_AA)
    cards = [one for one in found if one.verdict == "card"]
    said = "nothing is seen" if not found else "not read"
    if len(found) == 1 and cards:
        said = f"read as {cards[0].name}"
    elif len(found) == 1 and found[0].verdict == "other":
        said = f"the {found[0].name}: no card"
    cv2.rectangle(shown, (0, 262), (400, 300), (0, 0, 0), -1)
    cv2.putText(shown, f"{name}: {said}", (10, 287), cv2.FONT_HERSHEY_SIMPLEX, 0.62, _WHITE, 1, cv2.LINE_AA)
    return shown


def main() -> int:
    """Draw it."""
    reader, dice = DeckReader([learn("drawn", drawn_pictures())]), np.random.default_rng(8)
    shown = [labelled(reader, name, picture) for name, picture in scenes(dice)]
    rows = [np.hstack(shown[begin : begin + 4]) for begin in range(0, len(shown), 4)]
    page = cv2.resize(np.vstack(rows), (1120, 630), interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(Path(sys.argv[1])), page, (cv2.IMWRITE_JPEG_QUALITY, 82))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
