"""Shufflers, by our own line protocol: no vendor's protocol is public. Only answers are ever sent."""

from collections.abc import Callable

from drivers.line.wire import SHUFFLER
from drivers.line_protocol import Understood, read_line
from drivers.ports import Driver
from drivers.readings import ShufflerSaid
from drivers.settings import DriverContext, LineDevice, ShufflerDevice


class LineShuffler(LineDevice, ShufflerDevice, frozen=True, kw_only=True, tag="line"):
    """A shuffler that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineDriver

        return LineDriver(name, self, SHUFFLER, ShufflerSaid, context.times)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, SHUFFLER), Understood)


DEVICES = (LineShuffler,)
