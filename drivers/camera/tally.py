"""What a camera driver can tell at any moment: the port's state, and how well the reader reads."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from drivers.camera import CameraShoe
from drivers.camera.passage import Card
from drivers.camera.wire import Light, Opened, PictureSeen
from drivers.ports import PortState
from drivers.readings import CardReported

_RECENT = 30
PLAIN_CARDS = "plain cards"
"""The decoder where the print itself is read."""


class CameraState(PortState, frozen=True):
    """Figures since start. No code is among them.

    `bytes_in` counts the pixels that were looked at (a byte each), `frames_in` the pictures, `noise_in`
    the pictures with something in view and no mark read, and stills that were none. `pictures_read` had a
    mark, `pictures_rescued` only by the rescue. `cards_read` and `cards_unread` are what was told,
    `odd_sightings` codes that a single picture showed beside a card that was read. `confidence` is the
    mean over the cards read. `asked_frames_per_s` is what the camera was asked for, `frames_per_s` and
    `decode_ms` are of the last second or so; `test_decode_ms` is of a mark that was drawn at the opening.
    `lights` is how bright the last pictures were, `exposure_held` whether the camera keeps its exposure.
    """

    decoder: str = ""
    asked_frames_per_s: int = 0
    pictures_read: int = 0
    pictures_rescued: int = 0
    cards_read: int = 0
    cards_unread: int = 0
    odd_sightings: int = 0
    confidence: float | None = None
    frames_per_s: float | None = None
    decode_ms: float | None = None
    test_decode_ms: float | None = None
    exposure_held: bool | None = None
    lights: tuple[Light, ...] = ()


class Tally:
    """The figures of one camera."""

    def __init__(self, settings: CameraShoe) -> None:
        self.state = CameraState(
            settings.source,
            decoder=PLAIN_CARDS if settings.library is not None else settings.decoder,
            asked_frames_per_s=settings.frames_per_s,
        )
        """Whole at any moment and for any thread: one thread alone puts another in its place."""
        self._recent: deque[tuple[int, int]] = deque(maxlen=_RECENT)
        self._confidence = 0.0

    def set(self, **figures: Any) -> None:
        """Figures that have changed."""
        self.state = replace(self.state, **figures)

    def opened(self, opened: Opened) -> None:
        """An eye has opened the camera."""
        self._recent.clear()
        self.set(
            test_decode_ms=opened.test_ms,
            frames_per_s=None,
            decode_ms=None,
            exposure_held=opened.exposure_held,
            lights=(),
        )

    def saw(self, seen: PictureSeen) -> None:
        """One more picture."""
        state, recent = self.state, self._recent
        recent.append((seen.at_ns, seen.took_us))
        span_ns = recent[-1][0] - recent[0][0]
        self.set(
            bytes_in=state.bytes_in + seen.pixels,
            frames_in=state.frames_in + 1,
            noise_in=state.noise_in + (seen.present and not seen.marks),
            last_byte_ns=seen.at_ns,
            lights=(*state.lights, *(() if seen.light is None else (seen.light,)))[-_RECENT:],
            pictures_read=state.pictures_read + bool(seen.marks),
            pictures_rescued=state.pictures_rescued + any(mark.rescued for mark in seen.marks),
            frames_per_s=round((len(recent) - 1) * 1e9 / span_ns, 1) if span_ns > 0 else None,
            decode_ms=round(sum(took_us for _, took_us in recent) / len(recent) / 1000, 2),
        )

    def told(self, cards: Sequence[Card], odd_sightings: int) -> None:
        """Cards that were told."""
        read = [card for card in cards if isinstance(card, CardReported)]
        self._confidence += sum(card.confidence or 0.0 for card in read)
        cards_read = self.state.cards_read + len(read)
        self.set(
            cards_read=cards_read,
            cards_unread=self.state.cards_unread + len(cards) - len(read),
            odd_sightings=odd_sightings,
            confidence=round(self._confidence / cards_read, 3) if cards_read else None,
        )
