"""The camera shoe's driver: a process that looks, a thread that listens to it, cards out of what it says.

The thread starts the process, starts it again with a growing pause when it is gone, and keeps what was in
view through such a gap. A camera that cannot be reached, gives no pictures, or only black or frozen ones is a
lost device: what passed meanwhile is unknown. It is *not* responsible for knowing codes; a foreign one is
handed on as it is.
"""

from __future__ import annotations

import time

from drivers.camera import CameraShoe
from drivers.camera.passage import Card, Passages
from drivers.camera.process import Eye, EyeGone
from drivers.camera.source_kind import kind_of
from drivers.camera.tally import CameraState, Tally
from drivers.camera.wire import (
    USUAL_TIMES,
    CameraTimes,
    Ended,
    Failed,
    Learnt,
    Message,
    Opened,
    Order,
    PictureSeen,
    Spoiled,
    Waiting,
    message_of,
)
from drivers.readings import CardReported, CutCardReported, DeviceReachable
from drivers.serving import ServingDriver

_BLIND = {
    "black": "the picture is black; is the lens covered or the light off?",
    "frozen": "the picture is frozen: not a bit of it changes",
}


class CameraDriver(ServingDriver):
    """A camera at the exit of a plain shoe. Its reports carry no numbers."""

    def __init__(self, name: str, settings: CameraShoe, times: CameraTimes = USUAL_TIMES) -> None:
        super().__init__(name, settings.source, times.first_pause_s, times.longest_pause_s)
        self._settings = settings
        self._times = times
        self._passages = Passages(
            settings.agreeing_frames, settings.marks_per_card, settings.least_confidence
        )
        self._tally = Tally(settings)
        self._eye: Eye | None = None
        self._identity: str | None = None
        self._opened: Opened | None = None
        self._over = False
        self._after = ""
        self._skip = 0
        self._views: tuple[bytes, ...] = ()

    @property
    def state(self) -> CameraState:
        return self._tally.state

    @property
    def eye_pid(self) -> int | None:
        """The number of the process that looks, for people who watch processes."""
        eye = self._eye
        return None if eye is None else eye.pid

    def stop(self) -> None:
        super().stop()
        self._tally.set(connected=False)

    def order(self) -> Order:
        """How the eye is to look."""
        return Order(self._settings, self._times, self._after, self._skip, self._views)

    def serve(self) -> str:
        """Start an eye and listen until it is gone; returns why."""
        if self._over:
            self._stopping.wait()
            return "stopped"
        source = self._settings.source
        begun = self.state.frames_in
        # Looked at here: an eye costs a second of work to start, only to find nothing.
        kind_of(source)
        try:
            self._eye = eye = Eye(self.order(), self._wake)
        except EyeGone as problem:
            return f"{source}: {problem}"
        self._opened = None
        try:
            while not self._stopping.is_set():
                patience_s = self._times.silence_s if self._opened else self._times.opening_s
                line = eye.line(patience_s)
                if line is not None and (reason := self._take(message_of(line), line)):
                    return reason
        except EyeGone as problem:
            # A picture that kills the eye again and again is left out: one more each time.
            self._skip = self._skip + 1 if self.state.frames_in == begun else 0
            return f"{source}: {problem}"
        except ValueError as problem:
            return f"{source}: the process at the camera says what is no message: {problem}"
        finally:
            eye.end()
            self._eye = None
        return "stopped"

    def _take(self, message: Message, line: bytes) -> str | None:
        """Act on one message; returns why the eye is done, where it is."""
        if isinstance(message, PictureSeen):
            self._see(message, line)
        elif isinstance(message, Opened):
            self._opened = message
            self._tally.opened(message)
        elif isinstance(message, Learnt):
            self._views = message.views
        elif isinstance(message, Waiting):
            self._find(time.monotonic_ns())
        elif isinstance(message, Spoiled):
            self._tally.set(noise_in=self.state.noise_in + 1, last_error=f"{message.name} is no picture")
        elif isinstance(message, Ended):
            self._over = True
            self._tell(self._passages.finish(), b"", time.monotonic_ns())
            return f"{self._settings.source}: the recording is over"
        elif isinstance(message, Failed):
            return message.reason
        return None

    def _see(self, seen: PictureSeen, line: bytes) -> None:
        self._after, self._skip = seen.name, 0
        self.all_is_well()
        if seen.blind_long and seen.blind is not None:
            self.lost(f"{self._settings.source}: {_BLIND[seen.blind]}", seen.at_ns)
        elif seen.blind is None:
            self._find(seen.at_ns)
        self.judge(seen, line)

    def judge(self, seen: PictureSeen, line: bytes) -> None:
        """Say what one more picture tells."""
        cards = self._passages.see(seen)
        self._tally.saw(seen)
        self._tell(cards, line, seen.at_ns)

    def _tell(self, cards: list[Card], line: bytes, monotonic_ns: int) -> None:
        self._tally.told(cards, self._passages.odd_sightings)
        for card in cards:
            cut = isinstance(card, CardReported) and self._settings.library and card.code.startswith("cut")
            self._say(CutCardReported() if cut else card, line, monotonic_ns)

    def _find(self, now_ns: int) -> None:
        """The camera shows something: say so, once after each loss."""
        opened = self._opened
        if opened is None or (self.state.connected and not self._told_lost):
            return
        first, replaced = self._identity is None, self._identity not in (None, opened.identity)
        self._identity, self._told_lost = opened.identity, False
        connections = self.state.connections + 1
        self._tally.set(connected=True, identity=opened.identity, connections=connections)
        self._say(DeviceReachable(opened.identity, first, replaced), b"", now_ns)

    def note_lost(self, reason: str) -> None:
        losses = self.state.losses + self.state.connected
        self._tally.set(connected=False, losses=losses, last_error=reason)
