"""Where the consumers stand, kept on the disk beside the commits.

A commit does not carry it: it would write a page more while a card waits. A place that is lost only repeats.
"""

from __future__ import annotations

import contextlib

from controller.outbox.pump import Pump
from controller.outbox.rows import Rows
from controller.vocabulary.errors import JournalError

KEEP_AFTER_S = 0.1
"""Written this often at most: what a killed table says again is what came since."""


class Places:
    """When the cursors that moved are written. Times are monotonic seconds."""

    def __init__(self, rows: Rows, pump: Pump) -> None:
        self._rows = rows
        self._pump = pump
        self._kept = 0
        """The moves of cursors up to which they are written."""
        self._kept_s = 0.0

    @property
    def due_s(self) -> float | None:
        """When ``keep`` wants to be called; None: nothing has moved."""
        return None if self._kept == self._pump.moves else self._kept_s + KEEP_AFTER_S

    def keep(self, now_s: float) -> None:
        """Write them where that is due."""
        due_s = self.due_s
        if due_s is None or now_s < due_s:
            return
        self._kept_s = now_s
        # A disk that takes no cursor will take no commit either, and that one is heard.
        with contextlib.suppress(JournalError):
            self._rows.flush()
            self._kept = self._pump.moves
