"""Two witnesses of one card: what the one reports must pair with what the other reports within a time.

Pure: every time goes in, in nanoseconds of the monotonic clock. The order of the two does not matter, for a
reader may sit before or behind the other.
"""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

Side = Literal["shoe", "witness"]

UNREAD = ""
"""A card passed, and this side does not know which: it contradicts no other."""
SETTLING_NS = 3_000_000_000
"""After the witness connected: a card may still be reported that passed before it."""


class Detection(msgspec.Struct, frozen=True):
    """A card that passed, as one side reports it; UNREAD where its code is unknown. One that is not ``sure``
    may pair with another, and is not missed on its own.
    """

    at_ns: int
    code: str = UNREAD
    sure: bool = True


class Pairing:
    """The shoe and one witness beside it; detections that have paired with nothing yet, the oldest first."""

    def __init__(self, within_ns: int) -> None:
        """``within_ns``: how far the two reports of one card may lie apart."""
        self._within_ns = within_ns
        self._unpaired: dict[Side, list[Detection]] = {"shoe": [], "witness": []}
        self._sees_from_ns: int | None = None
        """Cards from this time on must be seen by the witness; None while it does not answer."""

    def connected(self, at_ns: int) -> None:
        """The witness answers (again)."""
        self._sees_from_ns = at_ns + SETTLING_NS

    def disconnected(self) -> None:
        """The witness is gone: it contradicts nothing any more."""
        self._sees_from_ns = None
        self._unpaired["shoe"].clear()

    def deadline_ns(self) -> int | None:
        """When :meth:`missed` may next find something."""
        times = [detection.at_ns for detections in self._unpaired.values() for detection in detections]
        return min(times) + self._within_ns + 1 if times else None

    def from_shoe(self, passed: Detection) -> Detection | None:
        """The shoe reports a card; the detection that it pairs with, None where that is still to come."""
        seen = self._sees_from_ns is not None and passed.at_ns >= self._sees_from_ns
        return self._pair("shoe", "witness", replace(passed, sure=passed.sure and seen))

    def from_witness(self, passed: Detection) -> Detection | None:
        """The witness reports a card."""
        return self._pair("witness", "shoe", passed)

    def missed(self, now_ns: int) -> list[Side]:
        """The side of each sure detection that the other did not report by now, the oldest first."""
        late: list[tuple[int, Side]] = []
        for side, detections in self._unpaired.items():
            over = [detection for detection in detections if now_ns - detection.at_ns > self._within_ns]
            late += [(detection.at_ns, side) for detection in over if detection.sure]
            self._unpaired[side] = [detection for detection in detections if detection not in over]
        return [side for _, side in sorted(late)]

    def _pair(self, side: Side, other: Side, detection: Detection) -> Detection | None:
        for waiting in self._unpaired[other]:
            if abs(detection.at_ns - waiting.at_ns) <= self._within_ns:
                self._unpaired[other].remove(waiting)
                return waiting
        self._unpaired[side].append(detection)
        return None
