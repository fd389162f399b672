"""The walk over a whole journal, in steps: what was written long ago must still be what was written.

A start reads on from the last snapshot only, and SQLite does not look at what a row says. A step holds no
statement open, so that commits, checkpoints and pruning go on between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from controller.journal.reader import SqliteReader
from controller.journal.record import Record, StoredMessage, StreamMark, check_next, stored
from controller.journal.verify import MessageLink
from controller.vocabulary.errors import DealerTableError, JournalError


class Walk:
    """One walk, from the first record to the one that was the last when the walk began."""

    def __init__(self, reader: SqliteReader, link: Callable[[bytes], MessageLink] | None = None) -> None:
        """``link`` reads a message's own place, as for ``verify``; without it the public chain is left out.

        Raises JournalError if the journal's end cannot be read.
        """
        self._reader = reader
        self._link = link
        self._end = reader.record_head
        self._before = reader.record(0)
        self._mark: StreamMark | None = None
        """The last message that was looked at, or that was pruned; None before the first step."""

    @property
    def done(self) -> bool:
        """Whether the end is reached."""
        return self._before.number >= self._end

    def step(self, most: int) -> None:
        """Check up to ``most`` further records (at least 1) and all their messages.

        Raises JournalError, which names the first bad record; the next step looks at the same ones again.
        """
        count = min(most, self._end - self._before.number)
        if count <= 0:
            return
        records = list(self._reader.unchecked_records(self._before.number, count))
        before = self._before
        for record in records:
            check_next(before, record)
            before = record
        if len(records) < count:
            raise JournalError(f"record {before.number + 1} is missing")
        self._mark = self._walk_messages(records, self._start())
        self._before = before

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
            wrong = self._wrong(message, last)
            if wrong is not None:
                number = _record_of(records, message.sequence)
                raise JournalError(f"record {number}: message {message.sequence} {wrong}")
            last = StreamMark(message.sequence, message.hash)
        if last.sequence < end:
            missing = last.sequence + 1
            raise JournalError(f"record {_record_of(records, missing)}: message {missing} is missing")
        return last

    def _wrong(self, message: StoredMessage, last: StreamMark) -> str | None:
        if stored(message.sequence, message.body) != message:
            return "does not fit its hash: it was changed"
        if self._link is None:
            return None
        try:
            said = self._link(message.body)
        except (ValueError, DealerTableError) as error:
            return f"cannot be read: {error}"
        return said.fault(self._reader.epoch, message.sequence, last)


def _record_of(records: Sequence[Record], sequence: int) -> int:
    """Number of the first of these records whose messages end at this sequence or later."""
    return next(record.number for record in records if record.stream >= sequence)
