"""A camera of software: pictures of cards that pass, as stills in a folder or as a video file.

A folder is followed by the driver as it grows, so this is a camera that can be told what to see next. The
names of its methods are those of the other simulated shoes.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Self

import cv2
import numpy as np

from drivers.camera.rendering import Optics, Picture, Pose, card, picture, scratched
from drivers.simulated_shoe import SimulatedShoe

SMALL = Optics(width_px=360, height_px=160)
_KEPT = 900
_WORN = 20


class SimulatedCamera(SimulatedShoe):
    """A shoe with a camera at its exit; each card passes in `frames` pictures and is followed by as many
    empty ones.

    `path` is what a driver opens. Old stills are removed, the newest 900 stay.
    """

    def __init__(
        self,
        folder: Path,
        *,
        frames: int = 5,
        optics: Optics = SMALL,
        module_px: int = 2,
        seed: int | None = None,
    ) -> None:
        self._folder = folder
        self._away = folder.with_name(f".{folder.name}.unplugged")
        self._frames = frames
        self._optics = optics
        self._module_px = module_px
        self.dice = np.random.default_rng(seed)
        self._numbers = itertools.count()
        self._kept: deque[Path] = deque()
        folder.mkdir(parents=True, exist_ok=True)
        self.empty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing runs; the stills stay."""

    @property
    def path(self) -> str:
        """The folder."""
        return str(self._folder)

    def card(self, code: str) -> None:
        """Draw a card, and leave the view empty behind it."""
        self.show(self.passing(code))
        self.empty()

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        self.card(code)
        return True

    def unread_card(self) -> None:
        """Draw a card whose mark is worn off."""
        worn = scratched(card("", module_px=self._module_px), _WORN, self.dice)
        self.show(self._moving(worn))
        self.empty()

    def cards_at_once(self, *codes: str) -> None:
        """Draw several cards together, one below the other."""
        marks = [card(code, module_px=self._module_px) for code in codes]
        apart = self._optics.height_px / len(codes)
        places = [(row - (len(codes) - 1) / 2) * apart for row in range(len(codes))]
        self.show(
            self.see(*zip(marks, [Pose(x_px=x, y_px=y) for y in places], strict=True))
            for x in range(-self._frames, self._frames, 2)
        )
        self.empty()

    def empty(self, pictures: int | None = None) -> None:
        """Nothing is in view."""
        self.show(self.see() for _ in range(self._frames if pictures is None else pictures))

    def cover(self, pictures: int) -> None:
        """Something covers the lens: black pictures."""
        black = Optics(noise=1.0, width_px=self._optics.width_px, height_px=self._optics.height_px)
        self.show(picture([], black, self.dice, ground=2) for _ in range(pictures))

    def freeze(self, pictures: int) -> None:
        """The same picture again and again."""
        self.show(itertools.repeat(self.see(), pictures))

    def unplug(self) -> None:
        """Take the camera away. The shoe itself goes on."""
        self._folder.rename(self._away)

    def replug(self) -> None:
        """Bring it back."""
        self._away.rename(self._folder)

    def passing(self, code: str) -> list[Picture]:
        """The pictures of a card that passes."""
        return self._moving(card(code, module_px=self._module_px))

    def see(self, *cards: tuple[Picture, Pose]) -> Picture:
        """One picture of flat cards in their poses."""
        return picture(cards, self._optics, self.dice)

    def show(self, pictures: Iterable[Picture]) -> None:
        """Put pictures before the driver, one after the other."""
        for each in pictures:
            number = next(self._numbers)
            folder = self._folder if self._folder.exists() else self._away
            ending = ".pgm" if each.ndim == 2 else ".ppm"
            still, fresh = folder / f"still-{number:07d}{ending}", folder / f".still-{number:07d}{ending}"
            fresh.write_bytes(cv2.imencode(ending, each)[1].tobytes())
            fresh.rename(still)
            self._kept.append(still)
            while len(self._kept) > _KEPT:
                (folder / self._kept.popleft().name).unlink(missing_ok=True)

    def _moving(self, flat: Picture) -> list[Picture]:
        """A card on its way: it comes in from above, turned a little, and leaves below."""
        turn, x = self.dice.uniform(-4, 4), self.dice.uniform(-6, 6)
        way = np.linspace(-0.12, 0.12, self._frames) * self._optics.height_px
        return [self.see((flat, Pose(float(x), float(y), float(turn)))) for y in way]


def write_video(path: Path, pictures: Sequence[Picture]) -> None:
    """Write pictures of one size to a video file (Motion JPEG in AVI, 30 a second)."""
    height, width = pictures[0].shape[:2]
    colour = pictures[0].ndim == 3
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (width, height), colour)
    for each in pictures:
        writer.write(each)
    writer.release()
