"""The stream: a durable message log with a cursor for each consumer, as the outbox needs it."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from controller.outbox.schedule import BROKER
from controller.outbox.topics import check_name
from controller.vocabulary.errors import ConfigurationError, JournalError

READ_AHEAD = 64
FLUSH_AFTER_S = 5.0
"""Written so long after a word at the latest, by itself where no commit comes: a dealer's cards follow each
other faster. What a killed table may send again is what was acknowledged since."""


class StreamEntry(Protocol):
    """One message of the stream."""

    @property
    def sequence(self) -> int:
        """From 1, no gaps."""

    @property
    def body(self) -> bytes:
        """The canonical message."""

    @property
    def hash(self) -> str:
        """SHA-256 of the body, hex."""

    @property
    def seal(self) -> bytes | None:
        """Who signed that hash, and how; None: recorded before the table had a key."""


class Stream(Protocol):
    """The journal fits it without knowing it."""

    @property
    def epoch(self) -> int:
        """Larger for every new journal."""

    @property
    def stream_head(self) -> int:
        """Sequence of the last durable message."""

    @property
    def stream_hash(self) -> str:
        """Its hash."""

    def messages(self, after: int, limit: int) -> Sequence[StreamEntry]:
        """Up to ``limit`` messages above ``after``, in order."""

    def cursors(self) -> dict[str, int]:
        """Consumer -> sequence."""

    def set_cursor(self, consumer: str, sequence: int) -> None:
        """Move a cursor forwards."""

    def add_consumer(self, name: str) -> None:
        """Name a consumer; a new one starts at the head."""

    def retire_consumer(self, name: str) -> None:
        """Forget a consumer."""

    @property
    def unwritten(self) -> bool:
        """Whether a cursor has moved since cursors were written."""

    def flush(self) -> None:
        """Write moved cursors; see ``Journal.flush``."""


class ReadAhead:
    """Reads the stream, some of it ahead: one message after the other is what is mostly asked for."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._ahead: deque[StreamEntry] = deque()

    def clear(self) -> None:
        """Forget what was read ahead."""
        self._ahead.clear()

    def message(self, sequence: int) -> StreamEntry:
        """The message with this sequence; JournalError where the journal does not hold it."""
        while self._ahead and self._ahead[0].sequence < sequence:
            self._ahead.popleft()
        if not self._ahead or self._ahead[0].sequence != sequence:
            self._ahead = deque(self._stream.messages(sequence - 1, READ_AHEAD))
        if not self._ahead or self._ahead[0].sequence != sequence:
            raise JournalError(f"message {sequence} is to be sent, but the journal does not hold it")
        return self._ahead[0]


class CursorFlush:
    """When the cursors that moved are written, where no commit comes that writes them along. Times are in
    monotonic seconds.

    It waits for the disk as a commit does, and wears a card of memory as one does. A cursor that is lost only
    repeats.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._head = stream.stream_head
        """Of the last commit that is known here."""
        self._wanted_s: float | None = None

    @property
    def due_s(self) -> float | None:
        """When ``flush`` wants to be called; None: nothing has moved that it knows of."""
        return self._wanted_s

    def flush(self, now_s: float) -> None:
        """Write them where that is due."""
        if not self._stream.unwritten:
            self._wanted_s = None
            return
        if self._wanted_s is None or self._head != self._stream.stream_head:
            # A commit has written what had moved before it.
            self._head = self._stream.stream_head
            self._wanted_s = now_s + FLUSH_AFTER_S
        if now_s < self._wanted_s:
            return
        self._wanted_s = now_s + FLUSH_AFTER_S
        # A disk that takes no cursor will take no commit either, and that one is heard.
        with contextlib.suppress(JournalError):
            self._stream.flush()
            self._wanted_s = None


def name_consumers(stream: Stream, consumers: Sequence[str]) -> None:
    """Start keeping messages for new consumers; if none is named, the broker's answers move the cursor."""
    for name in consumers:
        check_name("mqtt.consumers", name)
        if name == BROKER:
            raise ConfigurationError(
                f"mqtt.consumers: {BROKER!r} is the broker's own name; choose another one"
            )
        stream.add_consumer(name)
    if not consumers:
        stream.add_consumer(BROKER)
    elif BROKER in stream.cursors():
        stream.retire_consumer(BROKER)
