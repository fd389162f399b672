"""Pictures of a deck of plain cards, as somebody takes them who teaches it to a camera."""

from __future__ import annotations

from pathlib import Path

import cv2

from drivers.camera.plain.simulator import drawn_pictures


def write_pictures(folder: Path) -> None:
    """One picture of each card of our own deck, named after it: AS.png, joker.png."""
    folder.mkdir(parents=True)
    for name, pictures in drawn_pictures().items():
        cv2.imwrite(str(folder / f"{name}.png"), pictures[0])
