"""Shufflers, by our own line protocol: no vendor's protocol is public."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from drivers.line.wire import SHUFFLER
from drivers.line_protocol import Understood, read_line
from drivers.settings import DriverContext, LineDevice, ShufflerDevice

if TYPE_CHECKING:
    from drivers.line.driver import ShufflerDriver


class LineShuffler(LineDevice, ShufflerDevice, frozen=True, kw_only=True, tag="line"):
    """A shuffler that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> "ShufflerDriver":
        from drivers.line.driver import ShufflerDriver

        return ShufflerDriver(name, self)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, SHUFFLER), Understood)


DEVICES = (LineShuffler,)
