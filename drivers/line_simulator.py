"""A device of software that speaks one of our line protocols: it sends lines and keeps the answers."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from drivers.framing import LineFraming, TextLine
from drivers.simulated_device import SimulatedDevice


class SimulatedLineDevice(SimulatedDevice):
    """Sends a line and waits for its answer, as a keypad or a shuffler does."""

    def __init__(self, link: Path | None = None, *, end: bytes = b"\n") -> None:
        self._end = end
        self._framing = LineFraming("lf", longest=200)
        self._unclaimed: deque[str] = deque()
        self.answers: list[str] = []
        super().__init__(link)

    def send(self, line: str) -> None:
        """Send a line without waiting."""
        self.send_raw(line.encode("ascii") + self._end)

    def ask(self, line: str, timeout_s: float | None = None) -> str | None:
        """Send a line and return the answer to it, or None if none comes in time."""
        with self.guard:
            self._unclaimed.clear()
            self.send(line)
        return self.answer(timeout_s)

    def answer(self, timeout_s: float | None = None) -> str | None:
        """The next answer that nobody has taken, or None if none comes in time."""
        with self.guard:
            if not self.comes(lambda: bool(self._unclaimed), timeout_s):
                return None
            return self._unclaimed.popleft()

    def hear(self, chunk: bytes) -> None:
        for piece in self._framing.feed(chunk):
            text = (piece.body if isinstance(piece, TextLine) else piece.raw).decode(
                "ascii", errors="replace"
            )
            self.answers.append(text)
            self._unclaimed.append(text)
