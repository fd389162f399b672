"""What all drivers share: a name, and the way in which a reading is handed on."""

from __future__ import annotations

from collections.abc import Callable

from drivers.ports import Answer, Received
from drivers.readings import Reading


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
