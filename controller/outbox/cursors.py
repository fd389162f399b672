"""The cursors of the consumers on the disk, written beside the commits.

A commit does not carry them: it would write a page more while a card waits. A cursor that is lost only
repeats.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

from controller.outbox.schedule import BROKER, Schedule
from controller.outbox.stream import Stream
from controller.outbox.topics import check_segment
from controller.vocabulary.errors import ConfigurationError, JournalError

FLUSH_AFTER_S = 0.1
"""Written this often at most: what a killed table sends again is what came since."""


class CursorFlush:
    """When the cursors that moved are written. Times are monotonic seconds."""

    def __init__(self, stream: Stream, schedule: Schedule) -> None:
        self._stream = stream
        self._schedule = schedule
        self._flushed = 0
        """The moves of cursors up to which they are written."""
        self._flushed_s = 0.0

    @property
    def due_s(self) -> float | None:
        """When ``flush`` wants to be called; None: nothing has moved."""
        return None if self._flushed == self._schedule.moves else self._flushed_s + FLUSH_AFTER_S

    def flush(self, now_s: float) -> None:
        """Write them where that is due."""
        due_s = self.due_s
        if due_s is None or now_s < due_s:
            return
        self._flushed_s = now_s
        # A disk that takes no cursor will take no commit either, and that one is heard.
        with contextlib.suppress(JournalError):
            self._stream.flush()
            self._flushed = self._schedule.moves


def name_consumers(stream: Stream, consumers: Sequence[str]) -> None:
    """Start keeping messages for new consumers; if none is named, the broker's answers move the cursor."""
    for name in consumers:
        check_segment("mqtt.consumers", name)
        if name == BROKER:
            raise ConfigurationError(
                f"mqtt.consumers: {BROKER!r} is the broker's own name; choose another one"
            )
        stream.add_consumer(name)
    if not consumers:
        stream.add_consumer(BROKER)
    elif BROKER in stream.cursors():
        stream.retire_consumer(BROKER)
