"""A keypad of software."""

from __future__ import annotations

from drivers.line_simulator import SimulatedLineDevice
from drivers.simulated_device import PATIENCE_S


class Keypad(SimulatedLineDevice):
    """Presses keys: `press("BURN", "3")` sends `BURN 3` and returns the table's answer."""

    def press(self, *words: str, timeout_s: float = PATIENCE_S) -> str | None:
        """Press a key and wait for the answer, or None if none comes in time."""
        return self.ask(" ".join(words), timeout_s)
