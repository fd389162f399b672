"""Two witnesses of one card: what the one reports must pair with what the other reports within a time.

Pure: every time goes in, in nanoseconds of the monotonic clock. The order of the two does not matter, for a
reader may sit before or behind the other.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Literal

import msgspec
from msgspec.structs import replace

Side = Literal["shoe", "witness"]
OTHER: dict[Side, Side] = {"shoe": "witness", "witness": "shoe"}

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

    @property
    def vague(self) -> bool:
        """Perhaps a card, nobody knows which: a cut card, which the other side may see or not."""
        return not self.sure and self.code == UNREAD


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
        waiting = [*self._unpaired["shoe"], *self._unpaired["witness"]]
        times = [detection.at_ns for detection in waiting if not detection.vague]
        return min(times) + self._within_ns + 1 if times else None

    def from_shoe(self, passed: Detection) -> Detection | None:
        """The shoe reports a card; the detection that it pairs with, None where that is still to come."""
        seen = self._sees_from_ns is not None and passed.at_ns >= self._sees_from_ns
        return self._pair("shoe", replace(passed, sure=passed.sure and seen))

    def from_witness(self, passed: Detection) -> Detection | None:
        """The witness reports a card."""
        return self._pair("witness", passed)

    def missed(self, now_ns: int) -> list[Side]:
        """The side of each sure detection that the other did not report by now, the oldest first."""
        over = [
            (side, one)
            for side, waiting in self._unpaired.items()
            for one in waiting
            if now_ns - one.at_ns > self._within_ns * (1 + one.vague)
        ]
        late: list[Side] = []
        for side, one in sorted(over, key=lambda item: (item[1].vague, item[1].at_ns)):
            if one in self._unpaired[side]:
                self._unpaired[side].remove(one)
                if one.sure and not self._take(OTHER[side], one, attrgetter("vague")):
                    late.append(side)
        return late

    def _pair(self, side: Side, detection: Detection) -> Detection | None:
        """Pair with what waits, or wait. Something vague and a card that was read wait for better, until the
        card would be missed: a cut card must not take the place of the card behind it."""
        found = self._take(OTHER[side], detection, lambda one: not vague_and_read(one, detection))
        if found is None:
            late_ns = detection.at_ns - 2 * self._within_ns  # what is vague and so old can pair with nothing
            waiting = [one for one in self._unpaired[side] if not one.vague or one.at_ns >= late_ns]
            self._unpaired[side] = [*waiting, detection]
        return found

    def _take(self, side: Side, partner: Detection, fits: Callable[[Detection], bool]) -> Detection | None:
        """The oldest detection that may be of the same card, taken from those that wait."""
        for waiting in self._unpaired[side]:
            if fits(waiting) and abs(partner.at_ns - waiting.at_ns) <= self._within_ns:
                self._unpaired[side].remove(waiting)
                return waiting
        return None


def vague_and_read(one: Detection, other: Detection) -> bool:
    """Whether the one is vague, and the other was read."""
    return (one.vague and other.code != UNREAD) or (other.vague and one.code != UNREAD)
