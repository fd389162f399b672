"""Bee-Tek card shoe: ASCII lines, no numbers, no check, no answer."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from drivers.bee_tek.wire import reading_of
from drivers.readings import Unreadable
from drivers.settings import DriverContext, LineDevice, ShoeDevice

if TYPE_CHECKING:
    from drivers.bee_tek.driver import BeeTekDriver
    from drivers.bee_tek.simulator import SimulatedBeeTek


class BeeTekShoe(LineDevice, ShoeDevice, frozen=True, kw_only=True, tag="bee-tek"):
    """Bee-Tek."""

    def driver(self, name: str, context: DriverContext) -> "BeeTekDriver":
        from drivers.bee_tek.driver import BeeTekDriver

        return BeeTekDriver(name, self)

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedBeeTek":
        from drivers.bee_tek.simulator import SimulatedBeeTek

        return SimulatedBeeTek(path)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return not isinstance(reading_of(line), Unreadable)


DEVICES = (BeeTekShoe,)
