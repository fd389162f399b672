"""Shufflers, by our own line protocol: no vendor's protocol is public. Only answers are ever sent.

A shuffler tells of shuffles, counts and faults, and never which cards or in which order (R19).
"""

from collections.abc import Callable

from drivers.line_protocol import Understood, count, free_text, name_of, read_line
from drivers.ports import Driver
from drivers.readings import ShufflerSaid
from drivers.settings import DriverContext, LineDevice, ShufflerDevice

MOST_DECKS = 1000
SHUFFLER = {
    "START": (),
    "DONE": (count("cards"), name_of("set", optional=True)),
    "FAIL": (free_text("reason"),),
    "LOADED": (count("decks", least=1, most=MOST_DECKS), name_of("set", optional=True)),
    "COUNT": (count("cards"), name_of("set", optional=True)),
    "COLLECTED": (count("cards"),),
    "VERSION": (free_text("text"),),
    "SERIAL": (free_text("text"),),
    "ERROR": (name_of("code"), free_text("text")),
}


class LineShuffler(LineDevice, ShufflerDevice, frozen=True, kw_only=True, tag="line"):
    """A shuffler that speaks our line protocol."""

    def driver(self, name: str, context: DriverContext) -> Driver:
        from drivers.line_driver import LineDriver

        return LineDriver(name, self, SHUFFLER, ShufflerSaid, context.times)

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        return isinstance(read_line(line, SHUFFLER), Understood)


DEVICES = (LineShuffler,)
