"""What a journal is: records and messages in one durable transaction, in chains of hashes.

A record is opaque bytes with a number; a message is opaque bytes with a sequence. Numbers and sequences
start at 1, have no gaps and are given by the journal. Records are chained privately (``record_hash``);
messages are hashed over their own bytes, and carry the hash of the one before inside themselves, which is
the business of who writes them.

Not responsible for: what a record or a message says, when something is sent, how an envelope looks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from controller.vocabulary.errors import JournalError

ZERO_HASH = "0" * 64
"""Hash of the message before the first one of an epoch."""

CLOCK_SET_MS = 1_577_836_800_000
"""2020-01-01: a record with an earlier time was written before the clock was set; its age is unknown."""


class Record(msgspec.Struct, frozen=True):
    """One record of the private chain."""

    number: int
    """From 1, no gaps."""
    at_ms: int
    """Wall time of the commit, ms since 1970; a label, never going back."""
    stream: int
    """Sequence of the last message that had been written when this record and its messages were: the
    messages of record n are those from ``stream`` of record n - 1, exclusive, to ``stream`` of record n,
    inclusive."""
    body: bytes
    hash: bytes
    """32 bytes, see ``record_hash``."""


class StoredMessage(msgspec.Struct, frozen=True):
    """One message of the stream."""

    sequence: int
    body: bytes
    """The canonical message."""
    hash: str
    """SHA-256 of ``body``, hex: ``prevhash`` of the next message."""


class StreamMark(msgspec.Struct, frozen=True):
    """A place in the stream: the last message's sequence (0: none yet) and its hash (``ZERO_HASH``: none
    yet)."""

    sequence: int
    hash: str


class CursorError(JournalError):
    """A consumer's cursor would go backwards, beyond the head, or nobody knows the consumer."""

    code = "cursor"


class JournalReading(Protocol):
    """What can be read of a journal."""

    @property
    def path(self) -> Path | None:
        """The file, or None where there is none."""

    @property
    def epoch(self) -> int:
        """Larger for every new journal; whoever creates it says it."""

    @property
    def record_head(self) -> int:
        """Number of the last record, 0 when there is none."""

    @property
    def stream_head(self) -> int:
        """Sequence of the last message, 0 when there is none."""

    @property
    def stream_hash(self) -> str:
        """Hash of the last message, ``ZERO_HASH`` when there is none."""

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records with a number above ``after``, in order; each is checked against the chain as it is
        read.

        Raises JournalError at the first record that is missing or does not fit its hash.
        """

    def messages(self, after: int, limit: int) -> list[StoredMessage]:
        """Up to ``limit`` messages with a sequence above ``after``, in order, without a gap among them.

        Messages that ``prune`` has taken out are passed over.
        """

    def messages_of(self, record_number: int) -> list[bytes]:
        """The messages that were committed with this record; JournalError where they are pruned or never
        were."""

    def stream_at(self, record_number: int) -> StreamMark:
        """The stream's head as it stood after this record; 0 asks for the start."""

    def snapshot(self) -> tuple[int, bytes] | None:
        """The newest snapshot and the number of the record that it stands after."""

    def cursors(self) -> dict[str, int]:
        """Consumer -> the sequence up to which everything is safe with it."""

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""


class Journal(JournalReading, Protocol):
    """A journal that can be written, by one owner in one thread."""

    def commit(
        self,
        records: Sequence[bytes],
        messages: Sequence[bytes] = (),
        *,
        counts: Sequence[int] | None = None,
        snapshot: bytes | None = None,
    ) -> None:
        """Write everything in one transaction; on return it is durable.

        ``counts`` says how many of ``messages`` belong to each record, in order (group commit); without it
        all belong to the last record. ``snapshot`` stands after the last record.
        Raises JournalError (disk full, read-only, I/O error): then nothing has changed, here or in the file,
        and the same call may be made again. ValueError where the arguments do not fit each other.
        """

    def add_consumer(self, name: str) -> None:
        """Name a consumer: it starts at the head. One that is known already keeps its cursor."""

    def retire_consumer(self, name: str) -> None:
        """Forget a consumer; its cursor holds nothing back any more. CursorError where nobody knows it."""

    def set_cursor(self, consumer: str, sequence: int) -> None:
        """Everything up to ``sequence`` is safe with this consumer.

        CursorError where that goes backwards, beyond the head, or nobody knows the consumer. Held in memory
        and written with the next ``flush``: a lost cursor means sending again, never losing.
        """

    def flush(self) -> None:
        """Write the cursors that changed; waits for the disk only where the flush before it may not be there
        yet. Does nothing when none has changed.
        """

    def checkpoint(self) -> None:
        """Housekeeping for an idle moment: move what was written to where it stays. May wait for the disk."""

    def prune(self, before_ms: int) -> int:
        """Take out messages that every consumer has and that were committed before this wall time; how many
        went.

        Nothing goes while no consumer is named.
        """


def check_cursor(name: str, held: int | None, sequence: int, head: int) -> None:
    """Raise CursorError unless the consumer's cursor may move from ``held`` to ``sequence``."""
    if held is None:
        raise CursorError(f"consumer {name!r} is not named in this journal; name it under mqtt.consumers")
    if sequence > head:
        raise CursorError(f"consumer {name!r} acknowledges {sequence}, but the stream ends at {head}")
    if sequence < held:
        raise CursorError(f"consumer {name!r} acknowledges {sequence} after {held}; a cursor never goes back")


def shares(records: int, messages: int, counts: Sequence[int] | None) -> list[int]:
    """How many messages each record of a commit has; raises ValueError where the numbers do not fit."""
    if counts is None:
        if messages and not records:
            raise ValueError("messages belong to a record; this commit has none")
        return [0] * (records - 1) + [messages] if records else []
    if len(counts) != records or sum(counts) != messages or any(count < 0 for count in counts):
        raise ValueError(f"counts {list(counts)} do not share {messages} messages among {records} records")
    return list(counts)
