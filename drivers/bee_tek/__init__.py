"""Bee-Tek card shoe: ASCII lines, no numbers, no check, no answer."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from drivers.bee_tek.wire import reading_of
from drivers.framing import LineFraming
from drivers.ports import Driver
from drivers.readings import Unreadable
from drivers.settings import DriverContext, LineDevice, ShoeDevice

if TYPE_CHECKING:
    from drivers.bee_tek.simulator import SimulatedBeeTek

_LONGEST_LINE = 120


class BeeTekShoe(LineDevice, ShoeDevice, frozen=True, kw_only=True, tag="bee-tek"):
    """Bee-Tek."""

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineListener

        framing = LineFraming("lf", _LONGEST_LINE)
        return LineListener(name, self, framing, reading_of, may_be_card=True, times=context.times)

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedBeeTek":
        from drivers.bee_tek.simulator import SimulatedBeeTek

        return SimulatedBeeTek(path)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return not isinstance(reading_of(line), Unreadable)


DEVICES = (BeeTekShoe,)
