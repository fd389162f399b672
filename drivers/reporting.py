"""What all drivers share: a name, and the way in which a reading is handed on."""

from __future__ import annotations

from collections.abc import Callable

from drivers.ports import Answer, Received
from drivers.readings import DeviceUnreachable, Reading
from drivers.serving import ServingThread


class ReportingDriver:
    """Hands readings on between `start` and `stop`. Its device takes no answer, unless a driver sends one."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._deliver: Callable[[Received], None] | None = None

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """This device takes no answer."""

    def _say(self, reading: Reading, raw: bytes, monotonic_ns: int, number: int | None = None) -> None:
        deliver = self._deliver
        if deliver is not None:
            deliver(Received(self.name, reading, raw, monotonic_ns, number))


class ServingDriver(ReportingDriver, ServingThread):
    """A driver with a thread of its own."""

    def __init__(self, name: str, device: str, first_pause_s: float, longest_pause_s: float) -> None:
        ReportingDriver.__init__(self, name)
        ServingThread.__init__(self, device, first_pause_s, longest_pause_s)

    def start(self, deliver: Callable[[Received], None]) -> None:
        self._deliver = deliver
        self.begin()

    def stop(self) -> None:
        self.end()
        self._deliver = None

    def tell_lost(self, reason: str, monotonic_ns: int) -> None:
        self._say(DeviceUnreachable(reason), b"", monotonic_ns)
