"""The keypad's driver."""

from __future__ import annotations

from drivers.keypad import KeypadPanel
from drivers.keypad.wire import KEYPAD, reading_of
from drivers.line_driver import LineDriver
from drivers.serial_line import USUAL_TIMES, PortTimes


class KeypadDriver(LineDriver):
    """The keypad on its serial port."""

    def __init__(self, name: str, settings: KeypadPanel, times: PortTimes = USUAL_TIMES) -> None:
        super().__init__(name, settings, KEYPAD, reading_of, times)
