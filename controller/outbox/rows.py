"""What the outbox needs of the journal; the journal fits it without knowing it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class RowLike(Protocol):
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


class Rows(Protocol):
    """The durable message log with one cursor for each consumer."""

    @property
    def epoch(self) -> int:
        """Larger for every new journal."""

    @property
    def stream_head(self) -> int:
        """Sequence of the last durable message."""

    @property
    def stream_hash(self) -> str:
        """Its hash."""

    def messages(self, after: int, limit: int) -> Sequence[RowLike]:
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
        """Write moved cursors without waiting for the disk."""
