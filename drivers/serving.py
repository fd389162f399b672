"""What all drivers share: a thread that serves one device, and the way in which a reading is handed on.

The thread opens the device and hears it until it is lost, says so once, and tries again after a pause that
grows. What it does is `life`, which tells each wait instead of waiting: who has a clock of his own steps it.
"""

from __future__ import annotations

import logging
import os
import select
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import TypeAlias

from drivers.errors import DeviceFault
from drivers.ports import Answer, Received
from drivers.readings import DeviceUnreachable, Reading

_LOG = logging.getLogger(__name__)

Wait: TypeAlias = "tuple[select.poll | None, float]"
"""What is waited for (None: only for the stop), and so many seconds at most."""
Ready = dict[int, int]
"""What a wait found, as `select.poll` tells it."""
Serving = Generator[Wait, Ready, str]
"""Tells each of its waits, is sent what was found, and returns why it ended."""


class ServingDriver(ABC):
    """Hands readings on between `start` and `stop`. Its device takes no answer, unless a driver sends one.

    Subclasses say how the device is served, and what its loss means; all of it happens in the thread.
    """

    fault = "fault in the driver"
    """What an error is called that nobody foresaw."""

    def __init__(self, name: str, device: str, first_pause_s: float, longest_pause_s: float) -> None:
        """``device``: what it is called in logs, as its path."""
        self.name = name
        self._deliver: Callable[[Received], None] | None = None
        self._device = device
        self._pauses_s = (first_pause_s, longest_pause_s)
        self._pause_s = first_pause_s
        self._stopping = threading.Event()
        self._wake = -1
        """A descriptor that can be read once the thread is woken."""
        self._thread: threading.Thread | None = None
        self._told_lost = False
        self._only_listens = False

    def only_listen(self) -> None:
        """Send nothing to the device, from before the start: another system is the one that speaks to it."""
        self._only_listens = True

    def start(self, deliver: Callable[[Received], None]) -> None:
        """Begin to serve. RuntimeError where it has begun already."""
        if self._thread is not None:
            raise RuntimeError(f"{self._device}: the driver runs already")
        self._deliver = deliver
        self._stopping.clear()
        self.all_is_well()
        self._wake = os.eventfd(0)
        self._thread = threading.Thread(target=self._run, name=f"device {self._device}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; nothing is handed on after the return."""
        if self._thread is None:
            return
        self._stopping.set()
        self.wake()
        self._thread.join()
        self._thread = self._deliver = None
        os.close(self._wake)

    def acknowledge(self, received: Received, answer: Answer) -> None:  # noqa: B027 (most take no answer)
        """This device takes no answer."""

    def wake(self) -> None:
        """Let the thread look up from what it waits for."""
        os.eventfd_write(self._wake, 1)

    def all_is_well(self) -> None:
        """The pause after the next loss is the first one again."""
        self._pause_s = self._pauses_s[0]

    @abstractmethod
    def serve(self) -> str | Serving:
        """Open the device and hear it until it is lost, or until we stop; why it ended. May raise."""

    def life(self) -> Generator[Wait, Ready, None]:
        """Serve until the stop, again and again."""
        while not self._stopping.is_set():
            try:
                yield from self._serve_once()
            except Exception:  # our bug, or one of a library: the thread must not die of it, nor hide it
                _LOG.exception("%s: the driver failed and starts anew", self._device)
            yield None, self._pause_s
            self._pause_s = min(self._pause_s * 2, self._pauses_s[1])

    @abstractmethod
    def note_lost(self, reason: str) -> None:
        """The device is lost: for the state."""

    def tell_lost(self, reason: str, monotonic_ns: int) -> None:
        """The device is lost: said once until it was found."""
        self._say(DeviceUnreachable(reason), b"", monotonic_ns)

    def lost(self, reason: str, monotonic_ns: int) -> None:
        """The device is lost, or still is."""
        self.note_lost(reason)
        if not self._told_lost:
            self._told_lost = True
            self.tell_lost(reason, monotonic_ns)

    def _say(self, reading: Reading, raw: bytes, monotonic_ns: int, number: int | None = None) -> None:
        deliver = self._deliver
        if deliver is not None:
            deliver(Received(self.name, reading, raw, monotonic_ns, number))

    def _run(self) -> None:
        life, ready = self.life(), None
        while True:
            try:
                poll, wait_s = next(life) if ready is None else life.send(ready)
            except StopIteration:
                return
            if poll is None:
                self._stopping.wait(wait_s)
                ready = None
            else:
                ready = dict(poll.poll(wait_s * 1000))

    def _serve_once(self) -> Generator[Wait, Ready, None]:
        reason = f"{self._device}: {self.fault}"
        try:
            served = self.serve()
            reason = served if isinstance(served, str) else (yield from served)
        except DeviceFault as problem:
            reason = str(problem)
        except Exception as problem:
            reason += f": {type(problem).__name__}: {problem}"
            raise
        finally:
            if not self._stopping.is_set():
                self.lost(reason, time.monotonic_ns())
