"""The stream: a durable message log with a cursor for each consumer, as the outbox needs it."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from controller.vocabulary.errors import JournalError

READ_AHEAD = 64


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
