"""A scanner of software."""

from __future__ import annotations

from pathlib import Path

from drivers.simulated_device import SimulatedDevice
from drivers.simulated_shoe import SimulatedShoe


class SimulatedScanner(SimulatedDevice, SimulatedShoe):
    """Sends what it scans: `aim` is put before each code (for example "]C0"), `suffix` after it."""

    def __init__(self, link: Path | None = None, *, aim: str = "", suffix: bytes = b"\r\n") -> None:
        self._aim = aim
        self._suffix = suffix
        super().__init__(link)

    def scan(self, code: str, aim: str | None = None) -> None:
        """Read a code; `aim` where this one is of another symbology."""
        self.send_raw(((self._aim if aim is None else aim) + code).encode("latin-1") + self._suffix)

    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        self.scan(code)
        return True

    def unread_card(self) -> None:
        """Read nothing and say so."""
        self.send_raw(b"NOREAD" + self._suffix)

    def hear(self, chunk: bytes) -> None:
        """The scanner takes no bytes from the host."""
