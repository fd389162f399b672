"""A Bee-Tek shoe of software."""

from __future__ import annotations

from drivers.bee_tek import IN_GAME
from drivers.simulated_device import SimulatedDevice
from drivers.simulated_shoe import SimulatedShoe


class SimulatedBeeTek(SimulatedDevice, SimulatedShoe):
    """Says its lines and hears nothing."""

    def card(self, code: str) -> None:
        """Draw a card, for example "TH"."""
        self.say(f" [{IN_GAME}]<Card:{code}> ")

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        self.card(code)
        return True

    def unread_card(self) -> None:
        """Draw a card that cannot be read."""
        self.say(f" [{IN_GAME}]<{IN_GAME}> ")

    def say(self, line: str) -> None:
        """Send a line."""
        self.send_raw(line.encode("ascii") + b"\r\n")

    def hear(self, chunk: bytes) -> None:
        """The shoe takes no bytes from the host."""
