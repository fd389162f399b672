"""Counts for the state of a camera driver; written by its thread, read by any."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence

from msgspec.structs import replace

from drivers.camera import CameraShoe
from drivers.camera.passage import Card
from drivers.camera.state import CameraState
from drivers.camera.wire import Opened, PictureSeen
from drivers.readings import CardReported

_RECENT = 30


class Tally:
    """The figures of one camera."""

    def __init__(self, settings: CameraShoe) -> None:
        self._guard = threading.Lock()
        self._state = CameraState(
            settings.source, decoder=settings.decoder, asked_frames_per_s=settings.frames_per_s
        )
        self._recent: deque[tuple[int, int]] = deque(maxlen=_RECENT)
        self._confidence = 0.0

    @property
    def state(self) -> CameraState:
        """A copy of all figures."""
        with self._guard:
            state, recent, confidence = self._state, list(self._recent), self._confidence
        speed = decode_ms = None
        if len(recent) > 1 and recent[-1][0] > recent[0][0]:
            speed = round((len(recent) - 1) * 1e9 / (recent[-1][0] - recent[0][0]), 1)
        if recent:
            decode_ms = round(sum(took_us for _, took_us in recent) / len(recent) / 1000, 2)
        mean = round(confidence / state.cards_read, 3) if state.cards_read else None
        return replace(state, frames_per_s=speed, decode_ms=decode_ms, confidence=mean)

    @property
    def pictures(self) -> int:
        """Pictures so far."""
        return self._state.frames_in

    @property
    def connected(self) -> bool:
        """Whether pictures come that show something."""
        return self._state.connected

    def opened(self, opened: Opened) -> None:
        """An eye has opened the camera."""
        with self._guard:
            self._recent.clear()
            self._state = replace(self._state, test_decode_ms=opened.test_ms)

    def found(self, identity: str) -> None:
        """Pictures come."""
        with self._guard:
            connections = self._state.connections + 1
            self._state = replace(self._state, connected=True, identity=identity, connections=connections)

    def lost(self, reason: str) -> None:
        """None come, or none that show anything."""
        with self._guard:
            losses = self._state.losses + self._state.connected
            self._state = replace(self._state, connected=False, losses=losses, last_error=reason)

    def spoiled(self, reason: str) -> None:
        """A picture was none."""
        with self._guard:
            self._state = replace(self._state, noise_in=self._state.noise_in + 1, last_error=reason)

    def stopped(self) -> None:
        """Nobody looks any more, as was wanted."""
        with self._guard:
            self._state = replace(self._state, connected=False)

    def saw(self, seen: PictureSeen) -> None:
        """One more picture."""
        with self._guard:
            state = self._state
            self._recent.append((seen.at_ns, seen.took_us))
            self._state = replace(
                state,
                bytes_in=state.bytes_in + seen.pixels,
                frames_in=state.frames_in + 1,
                noise_in=state.noise_in + (seen.present and not seen.marks),
                last_byte_ns=seen.at_ns,
                pictures_read=state.pictures_read + bool(seen.marks),
                pictures_rescued=state.pictures_rescued + any(mark.rescued for mark in seen.marks),
            )

    def told(self, cards: Sequence[Card], odd_sightings: int) -> None:
        """Cards that were told."""
        read = [card for card in cards if isinstance(card, CardReported)]
        with self._guard:
            self._confidence += sum(card.confidence or 0.0 for card in read)
            self._state = replace(
                self._state,
                cards_read=self._state.cards_read + len(read),
                cards_unread=self._state.cards_unread + len(cards) - len(read),
                odd_sightings=odd_sightings,
            )
