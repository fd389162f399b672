"""The Bee-Tek shoe's driver."""

from __future__ import annotations

from drivers.bee_tek import BeeTekShoe
from drivers.bee_tek.wire import reading_of
from drivers.framing import LineFraming
from drivers.line_driver import LineListener
from drivers.serial_line import USUAL_TIMES, PortTimes

_LONGEST_LINE = 120


class BeeTekDriver(LineListener):
    """The shoe on its serial port. It takes no commands."""

    def __init__(self, name: str, settings: BeeTekShoe, times: PortTimes = USUAL_TIMES) -> None:
        super().__init__(
            name, settings, LineFraming("lf", _LONGEST_LINE), reading_of, may_be_card=True, times=times
        )
