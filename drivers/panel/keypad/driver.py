"""The keypad's driver."""

from __future__ import annotations

from drivers.line_driver import LineDriver
from drivers.panel.keypad.wire import KEYPAD, reading_of
from drivers.serial_line import LineSettings


class KeypadDriver(LineDriver):
    """The keypad on its serial port, 9600 8N1 unless the settings say otherwise."""

    def __init__(self, name: str, line: LineSettings) -> None:
        super().__init__(name, line, KEYPAD, reading_of)
