"""The shuffler's driver. Telemetry is one-way: nothing is ever sent but the answer to a line."""

from __future__ import annotations

from drivers.line_driver import LineDriver
from drivers.serial_line import LineSettings
from drivers.shuffler.wire import SHUFFLER, reading_of


class ShufflerDriver(LineDriver):
    """A shuffler on its serial port, 9600 8N1 unless the settings say otherwise."""

    def __init__(self, name: str, line: LineSettings) -> None:
        super().__init__(name, line, SHUFFLER, reading_of)
