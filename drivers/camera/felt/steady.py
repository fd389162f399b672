"""What lies still: the cards that enough pictures in a row show alike, each at its place. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

from drivers.camera.wire import Mark

_NEAR = 0.25
"""Share of a card's height by which it may seem to move while it lies still."""


@dataclass(slots=True)
class _Lying:
    mark: Mark
    """As it was seen first: what creeps from picture to picture does not lie still."""
    pictures: int = 1

    def is_at(self, mark: Mark) -> bool:
        near = _NEAR * max(self.mark.length_px, mark.length_px)
        return math.hypot(self.mark.x_px - mark.x_px, self.mark.y_px - mark.y_px) <= near


class Steady:
    """The cards before one camera."""

    def __init__(self, agreeing_frames: int) -> None:
        self._needed = agreeing_frames
        self._lying: list[_Lying] = []
        self._pictures = 0

    @property
    def knows(self) -> bool:
        """Whether there were enough pictures to say what lies there, or that nothing does."""
        return self._pictures >= self._needed

    def see(self, marks: tuple[Mark, ...]) -> tuple[str, ...]:
        """The names of the cards that have lain still in so many pictures, this one too; in order, equal ones
        as often as they lie there.
        """
        self._pictures += 1
        before = {id(one): one for one in self._lying}
        self._lying = []
        for mark in marks:
            same = next(
                (one for one in before.values() if one.mark.text == mark.text and one.is_at(mark)), None
            )
            if same is None:
                self._lying.append(_Lying(mark))
            else:
                del before[id(same)]
                self._lying.append(_Lying(same.mark, same.pictures + 1))
        return tuple(sorted(one.mark.text for one in self._lying if one.pictures >= self._needed))

    def forget(self) -> None:
        """What is seen next has not been seen before."""
        self._lying, self._pictures = [], 0
