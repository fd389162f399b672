"""No shoe at all: a table that follows another system's list of rounds reads no card by itself.

It stands where a shoe would, so that nobody behind it must ask whether there is one. It cannot be chosen in
a file.
"""

from collections.abc import Callable
from typing import ClassVar

from drivers.ports import Answer, PortState, Received
from drivers.settings import DriverContext, ShoeDevice


class NoShoe(ShoeDevice, frozen=True, kw_only=True, tag="export"):
    """The cards are those of the other system's export."""

    doubles: ClassVar[bool] = False
    names_cards: ClassVar[bool] = True

    def driver(self, name: str, context: DriverContext) -> "NoDriver":
        return NoDriver(name)


class NoDriver:
    """Never says anything."""

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def state(self) -> PortState:
        """Nothing is lost, since nothing is there."""
        return PortState("export", connected=True)

    def start(self, deliver: Callable[[Received], None]) -> None:
        """Nothing to open."""

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """Nobody to answer."""

    def stop(self) -> None:
        """Nothing to close."""
