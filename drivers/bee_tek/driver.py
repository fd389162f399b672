"""The Bee-Tek shoe's driver."""

from __future__ import annotations

from drivers.bee_tek.wire import reading_of
from drivers.framing import LineFraming
from drivers.line_driver import LineListener
from drivers.serial_line import LineSettings

_LONGEST_LINE = 120


class BeeTekDriver(LineListener):
    """The shoe on its serial port, 9600 8N1 unless the settings say otherwise. It takes no commands."""

    def __init__(self, name: str, line: LineSettings) -> None:
        super().__init__(name, line, LineFraming("lf", _LONGEST_LINE), reading_of, may_be_card=True)
