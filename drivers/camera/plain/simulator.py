"""A camera of software over a shoe of plain cards: what it shows, and the library of the deck that it
shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.learn import learn
from drivers.camera.plain.library import RANKS, SUITS, save
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.scene import Camera, Damage, Lie, damaged, seen
from drivers.camera.rendering import Pose
from drivers.camera.simulator import SimulatedCamera

SMALL = Camera(width_px=400, height_px=300, px_per_mm=3.2)
_ACROSS_DEG = 90.0
"""A card lies across the exit: its long side is level."""
_WAY_PX = 34.0
_OUT_OF_FOCUS = 9.0


class PlainCamera(SimulatedCamera):
    """A shoe of plain cards with a camera at its exit; each card passes in `frames` pictures."""

    def __init__(
        self, folder: Path, *, frames: int = 5, camera: Camera = SMALL, seed: int | None = None
    ) -> None:
        self._camera = camera
        super().__init__(folder, frames=frames, seed=seed)

    def passing(self, code: str) -> list[Picture]:
        return self._sliding(face_of(code), self._camera)

    def unread_card(self) -> None:
        """Draw a card that nobody could read: far out of focus."""
        self.show(self._sliding(face_of("8S"), replace(self._camera, blur_px=_OUT_OF_FOCUS)))
        self.empty()

    def cards_at_once(self, *codes: str) -> None:
        """Draw cards together, the second half covered by the first one."""
        ways = np.linspace(-_WAY_PX, _WAY_PX, self._frames)
        apart = self._camera.px_per_mm * 40
        self.show(
            self._look(
                [
                    (face_of(code), Lie(y_px=float(y) + apart * (number - 0.5), turn_deg=_ACROSS_DEG))
                    for number, code in enumerate(codes)
                ]
            )
            for y in ways
        )
        self.empty()

    def see(self, *cards: tuple[Picture, Pose]) -> Picture:
        lies = [(face, Lie(pose.x_px, pose.y_px, pose.turn_deg + _ACROSS_DEG)) for face, pose in cards]
        return self._look(lies)

    def empty(self, pictures: int | None = None) -> None:
        self.show(self.see() for _ in range(self._frames if pictures is None else pictures))

    def _look(self, cards: Sequence[tuple[Picture, Lie]], camera: Camera | None = None) -> Picture:
        return seen(cards, camera or self._camera, self.dice)

    def _sliding(self, face: Picture, camera: Camera) -> list[Picture]:
        turn, x = self.dice.uniform(-3, 3), self.dice.uniform(-6, 6)
        up = 180 * int(self.dice.integers(2))
        off = (float(self.dice.uniform(-0.3, 0.3)), float(self.dice.uniform(-0.3, 0.3)))
        card = damaged(face, Damage(off_mm=off), self.dice)
        ways = np.linspace(-_WAY_PX, _WAY_PX, self._frames)
        return [
            self._look([(card, Lie(float(x), float(y), _ACROSS_DEG + up + float(turn)))], camera)
            for y in ways
        ]


def learn_drawn(to: Path, camera: Camera = SMALL, seed: int = 52) -> str:
    """Learn our own deck with this camera and write its library; returns the digest."""
    return save(learn("drawn", drawn_pictures(camera, seed)), to)


@cache
def drawn_pictures(camera: Camera = SMALL, seed: int = 52) -> Mapping[str, Sequence[Picture]]:
    """One picture of each card of our own deck, of its joker and of its back."""
    dice = np.random.default_rng(seed)
    names = [*(rank + suit for rank in RANKS for suit in SUITS), "joker", "back"]
    return {
        name: [seen([(face_of(name), Lie(0, 0, _ACROSS_DEG + float(dice.uniform(-2, 2))))], camera, dice)]
        for name in names
    }
