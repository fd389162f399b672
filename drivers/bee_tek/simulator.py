"""A Bee-Tek shoe of software."""

from __future__ import annotations

from pathlib import Path

from drivers.bee_tek import wire
from drivers.simulated_device import SimulatedDevice
from drivers.simulated_shoe import SimulatedShoe


class SimulatedBeeTek(SimulatedDevice, SimulatedShoe):
    """Says its lines and hears nothing. `suit_first` writes S4 where others write 4S."""

    def __init__(self, link: Path | None = None, *, suit_first: bool = False) -> None:
        self._suit_first = suit_first
        super().__init__(link)

    def card(self, code: str) -> None:
        """Draw a card, for example "TH"."""
        self.say(wire.card_line(code, suit_first=self._suit_first))

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        self.card(code)
        return True

    def burn(self, code: str) -> None:
        """Draw a burn card."""
        self.say(wire.card_line(code, burn=True, suit_first=self._suit_first))

    def unread_card(self) -> None:
        """Draw a card that cannot be read."""
        self.say(f" [{wire.IN_GAME}]<{wire.IN_GAME}> ")

    def alarm(self, code: str, text: str) -> None:
        """Raise an alarm, for example ("E3", "Card Not Read")."""
        self.say(f" [{wire.ALARM}]<Alarm:{code} {text}> ")

    def warning(self, code: int) -> None:
        """Give a warning, 0 to 255."""
        self.say(f"<W0x{code:02X}>")

    def say(self, line: str) -> None:
        """Send a line."""
        self.send_raw(line.encode("ascii") + b"\r\n")

    def hear(self, chunk: bytes) -> None:
        """The shoe takes no bytes from the host."""
