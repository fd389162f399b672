"""The walk over a whole journal, in steps: what was written long ago must still be what was written.

A start reads on from the last snapshot only, and SQLite does not look at what a row says. A step holds no
statement open, so that commits, checkpoints and pruning go on between two of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.journal.reader import SqliteReader
from controller.journal.record import Record, StreamMark, check_next
from controller.journal.verify import Link, wrong
from controller.vocabulary.errors import JournalError


class Walk:
    """One walk, from the record behind ``after`` to the one that was the last when the walk began."""

    def __init__(self, reader: SqliteReader, link: Link | None = None, after: int = 0) -> None:
        """Without ``link`` the public chain is left out. JournalError if the record ``after`` or its last
        message is missing.
        """
        self._reader = reader
        self._link = link
        self._end = reader.record_head
        self.last = reader.record(after)
        """The last record that was checked."""
        self._mark: StreamMark | None = reader.mark_at(self.last.stream) if after else None
        """The last message that was looked at, or that was pruned; None before the first step."""

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return self.last.number >= self._end

    def step(self, most: int) -> None:
        """Check up to ``most`` further records (at least 1) and all their messages.

        Raises JournalError, which names the first bad record; the next step looks at the same ones again.
        """
        count = min(most, self._end - self.last.number)
        if count <= 0:
            return
        records = list(self._reader.unchecked_records(self.last.number, count))
        before = self.last
        for record in records:
            check_next(before, record)
            before = record
        if len(records) < count:
            raise JournalError(f"record {before.number + 1} is missing")
        self._mark = self._walk_messages(records, self._start())
        self.last = before

    def _start(self) -> StreamMark:
        """Where the messages go on: behind what was pruned, also where that was since the last step."""
        pruned = self._reader.pruned()
        if self._mark is not None:
            return max(self._mark, pruned, key=lambda mark: mark.sequence)
        lowest = self._reader.lowest_message()
        if lowest is not None and lowest <= pruned.sequence:
            raise JournalError(f"message {lowest} is there, and all up to {pruned.sequence} were pruned")
        return pruned

    def _walk_messages(self, records: Sequence[Record], last: StreamMark) -> StreamMark:
        end = records[-1].stream
        for message in list(self._reader.unchecked_messages(last.sequence + 1, end)):
            if message.sequence != last.sequence + 1:
                break
            found = wrong(message, self._reader.epoch, last, self._link)
            if found is not None:
                number = _record_of(records, message.sequence)
                raise JournalError(f"record {number}: message {message.sequence} {found[1]}")
            last = StreamMark(message.sequence, message.hash)
        if last.sequence < end:
            missing = last.sequence + 1
            raise JournalError(f"record {_record_of(records, missing)}: message {missing} is missing")
        return last


def _record_of(records: Sequence[Record], sequence: int) -> int:
    """Number of the first of these records whose messages end at this sequence or later."""
    return next(record.number for record in records if record.stream >= sequence)
