"""The journal in memory: the same contract without a file, for replay and for tests. Nothing outlives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from controller.journal.port import (
    CLOCK_SET_MS,
    ZERO_HASH,
    CursorError,
    Record,
    StoredMessage,
    StreamMark,
    check_cursor,
    shares,
)
from controller.journal.record import chained, check_next, first_hash, stored
from controller.vocabulary.errors import JournalError


class MemoryJournal:
    """A journal that lasts as long as the program. ``clock_ms`` gives the wall time of a commit, ms since
    1970."""

    path = None

    def __init__(self, *, epoch: int = 1, clock_ms: Callable[[], int] = lambda: 0) -> None:
        self._epoch = epoch
        self._clock_ms = clock_ms
        self._records = [Record(0, 0, 0, b"", first_hash(epoch))]
        self._messages: list[StoredMessage] = []
        self._pruned = StreamMark(0, ZERO_HASH)
        self._snapshot: tuple[int, bytes] | None = None
        self._cursors: dict[str, int] = {}

    @property
    def epoch(self) -> int:
        """Larger for every new journal."""
        return self._epoch

    @property
    def record_head(self) -> int:
        """Number of the last record, 0 when there is none."""
        return self._records[-1].number

    @property
    def stream_head(self) -> int:
        """Sequence of the last message, 0 when there is none."""
        return self._messages[-1].sequence if self._messages else self._pruned.sequence

    @property
    def stream_hash(self) -> str:
        """Hash of the last message, ``ZERO_HASH`` when there is none."""
        return self._messages[-1].hash if self._messages else self._pruned.hash

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records above ``after``, in order, each checked against the chain."""
        before = self._record(after)
        for record in self._records[after + 1 :]:
            check_next(before.hash, before.number + 1, before.stream, record)
            before = record
            yield record

    def messages(self, after: int, limit: int) -> list[StoredMessage]:
        """Up to ``limit`` messages above ``after``, in order."""
        start = max(after - self._pruned.sequence, 0)
        return self._messages[start : start + limit]

    def messages_of(self, record_number: int) -> list[bytes]:
        """The messages that were committed with this record."""
        start, end = self._record(record_number - 1).stream, self._record(record_number).stream
        if start < min(self._pruned.sequence, end):
            raise JournalError(f"messages {start + 1} to {end} of record {record_number} were pruned")
        return [message.body for message in self.messages(start, end - start)]

    def stream_at(self, record_number: int) -> StreamMark:
        """The stream's head as it stood after this record; 0 asks for the start."""
        return self._mark_at(self._record(record_number).stream)

    def snapshot(self) -> tuple[int, bytes] | None:
        """The newest snapshot and the number of the record that it stands after."""
        return self._snapshot

    def cursors(self) -> dict[str, int]:
        """Consumer -> the sequence up to which everything is safe with it."""
        return dict(self._cursors)

    def commit(
        self,
        records: Sequence[bytes],
        messages: Sequence[bytes] = (),
        *,
        counts: Sequence[int] | None = None,
        snapshot: bytes | None = None,
    ) -> None:
        """Keep everything; see ``port.Journal.commit``."""
        ends = shares(len(records), len(messages), counts)
        at_ms = max(self._records[-1].at_ms, self._clock_ms(), 0)
        stream = self.stream_head
        self._messages.extend(stored(stream + place, body) for place, body in enumerate(messages, start=1))
        for body, count in zip(records, ends, strict=True):
            stream += count
            last = self._records[-1]
            self._records.append(chained(last.hash, last.number + 1, at_ms, stream, body))
        if snapshot is not None:
            self._snapshot = (self.record_head, snapshot)

    def add_consumer(self, name: str) -> None:
        """Name a consumer: it starts at the head, or keeps its cursor."""
        self._cursors.setdefault(name, self.stream_head)

    def retire_consumer(self, name: str) -> None:
        """Forget a consumer."""
        if name not in self._cursors:
            raise CursorError(
                f"consumer {name!r} is not named in this journal; it has {sorted(self._cursors)}"
            )
        del self._cursors[name]

    def set_cursor(self, consumer: str, sequence: int) -> None:
        """Move a consumer's cursor."""
        check_cursor(consumer, self._cursors.get(consumer), sequence, self.stream_head)
        self._cursors[consumer] = sequence

    def flush(self) -> None:
        """Nothing waits."""

    def checkpoint(self) -> None:
        """Nothing to move."""

    def prune(self, before_ms: int) -> int:
        """Take out messages that every consumer has, that are older, and that no restart would recompute."""
        if not self._cursors or self._snapshot is None:
            return 0
        old = [
            record.stream
            for record in self._records[1 : self._snapshot[0] + 1]
            if CLOCK_SET_MS <= record.at_ms < before_ms
        ]
        last = min(old[-1] if old else 0, *self._cursors.values())
        gone = last - self._pruned.sequence
        if gone <= 0:
            return 0
        self._pruned = self._mark_at(last)
        del self._messages[:gone]
        return gone

    def close(self) -> None:
        """Nothing to let go of."""

    def _record(self, number: int) -> Record:
        if not 0 <= number < len(self._records):
            raise JournalError(f"there is no record {number} in this journal")
        return self._records[number]

    def _mark_at(self, sequence: int) -> StreamMark:
        if sequence == 0:
            return StreamMark(0, ZERO_HASH)
        if sequence == self._pruned.sequence:
            return self._pruned
        if sequence < self._pruned.sequence:
            raise JournalError(f"message {sequence} was pruned")
        found = self._messages[sequence - self._pruned.sequence - 1]
        return StreamMark(found.sequence, found.hash)
