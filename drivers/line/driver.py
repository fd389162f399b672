"""The shuffler's driver. Telemetry is one-way: nothing is ever sent but the answer to a line."""

from __future__ import annotations

from drivers.line import LineShuffler
from drivers.line.wire import SHUFFLER, reading_of
from drivers.line_driver import LineDriver
from drivers.serial_line import USUAL_TIMES, PortTimes


class ShufflerDriver(LineDriver):
    """A shuffler on its serial port."""

    def __init__(self, name: str, settings: LineShuffler, times: PortTimes = USUAL_TIMES) -> None:
        super().__init__(name, settings, SHUFFLER, reading_of, times)
