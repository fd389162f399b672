"""What the eye makes of each picture: whether something is in view, the marks of the cards, and how bright it
is.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from drivers.camera.brightness import light_of
from drivers.camera.sources import grey
from drivers.camera.view import Picture, View
from drivers.camera.wire import Light, Mark, PictureSeen

_LIGHT_FIRST_NS, _LIGHT_EVERY_NS = 5_000_000_000, 1_000_000_000
"""`doctor` opens a camera, looks for two seconds, and wants the flicker from picture to picture; later nobody
asks for the light of each."""


class Reader(Protocol):
    """What reads the cards of a picture; `present`: whether it differs from the empty view."""

    def read(self, picture: Picture, present: bool = True) -> tuple[Mark, ...]:
        """Its marks."""
        ...


class Sight:
    """The pictures of one camera, one after the other."""

    def __init__(self, reader: Reader, view: View, clock_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._reader, self._view, self._clock_ns = reader, view, clock_ns
        self._first_ns: int | None = None
        self._light_ns = 0

    def of(self, name: str, picture: Picture) -> tuple[PictureSeen, bool]:
        """What one more picture shows, and whether it is now another empty view."""
        at_ns = self._clock_ns()
        view = self._view
        seen = picture if picture.ndim == 2 else grey(picture)
        view.look(seen)
        marks = () if view.blind else self._reader.read(picture, view.present or not view.knows_empty)
        learnt = view.learn(bool(marks))
        took_us = (self._clock_ns() - at_ns) // 1000
        told = PictureSeen(
            at_ns=at_ns,
            name=name,
            marks=marks,
            present=view.present,
            moved=view.moved,
            blind=view.blind,
            blind_long=view.blind_long,
            took_us=took_us,
            pixels=picture.size,
            light=self._light(seen, at_ns),
        )
        return told, learnt

    def _light(self, picture: Picture, at_ns: int) -> Light | None:
        if self._first_ns is None:
            self._first_ns = at_ns
        if at_ns - self._first_ns > _LIGHT_FIRST_NS and at_ns - self._light_ns < _LIGHT_EVERY_NS:
            return None
        self._light_ns = at_ns
        return light_of(picture)
