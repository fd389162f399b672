"""A keypad of software."""

from __future__ import annotations

from drivers.line_simulator import SimulatedLineDevice


class Keypad(SimulatedLineDevice):
    """Presses keys: `press("BURN", "3")` sends `BURN 3` and returns the table's answer."""

    def press(self, *words: str, timeout_s: float | None = None) -> str | None:
        """Press a key and wait for the answer, or None if none comes in time."""
        return self.ask(" ".join(words), timeout_s)
