"""Reading a journal file: for the daemon that owns it, and read-only for everybody else while it runs."""

from __future__ import annotations

import errno
import os
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import msgspec

from controller.journal.files import beside
from controller.journal.migrations import version_of
from controller.journal.record import (
    ZERO_HASH,
    Record,
    StoredMessage,
    StreamMark,
    before_first,
    check_next,
    snapshot_hash,
)
from controller.vocabulary.errors import JournalError, why

_Row = TypeVar("_Row", Record, StoredMessage, StreamMark)
_RECORD = "SELECT number, at_ms, stream, body, hash FROM records"
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
"""Whatever number a damaged row may have."""


def attach(path: Path, mode: str) -> sqlite3.Connection:
    """A connection to an existing file; ``mode`` is ``ro`` or ``rw``.

    Raises JournalError, and PermissionError if it is somebody else's.
    """
    if not path.exists():
        raise JournalError(f"there is no journal at {path}")
    if not os.access(path, os.R_OK):  # SQLite would only say that it is unable to open it
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    if mode == "ro" and not beside(path, "-wal").exists() and not os.access(path.parent, os.W_OK):
        mode = "ro&immutable=1"  # a copy on a read-only medium: there is no place for SQLite's own files
    try:
        return sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}", uri=True, isolation_level=None, timeout=5
        )
    except sqlite3.Error as error:
        raise JournalError(f"cannot open the journal {path}: {why(error)}") from error


def _as(kind: type[_Row], what: str, row: tuple[Any, ...]) -> _Row:
    """A row as what it must be. Raises JournalError, which says what it cannot be."""
    try:
        return msgspec.convert(row, kind, builtin_types=(bytes,))  # else text would do for bytes, as base64
    except msgspec.ValidationError as error:
        columns = ", ".join(kind.__struct_fields__)
        raise JournalError(f"{what} {row[0]} is damaged: of {columns}: {why(error)}") from error


class SqliteReader:
    """A journal file, read-only. What is committed while it is open is seen."""

    path: Path
    epoch: int
    """Larger for every new journal; whoever creates it says it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._closed = False
        # The first version of the tables had none; who only reads does not bring a file up to date.
        self._seal = "seal" if version_of(connection, path) > 1 else "NULL"
        epoch = self._meta("epoch", 0)
        if not isinstance(epoch, int) or epoch < 1:
            raise JournalError(f"the journal {path} does not say its epoch: it is damaged")
        self.epoch = epoch

    @classmethod
    def open(cls, path: Path) -> Self:
        """Open for reading. Raises JournalError if there is no journal, or one of a later version."""
        connection = attach(path, "ro")
        try:
            return cls(path, connection)
        except sqlite3.Error as error:
            connection.close()
            raise JournalError(f"cannot read the journal {path}: {why(error)}") from error
        except JournalError:
            connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def record_head(self) -> int:
        """Number of the last record, 0 when there is none."""
        ((number,),) = self._rows("SELECT coalesce(max(number), 0) FROM records")
        return int(number)

    @property
    def stream_head(self) -> int:
        """Sequence of the last message, 0 when there is none."""
        return self.stream_end().sequence

    @property
    def stream_hash(self) -> str:
        """Hash of the last message, ``ZERO_HASH`` when there is none."""
        return self.stream_end().hash

    def records(self, after: int = 0) -> Iterator[Record]:
        """The records above ``after``, in order; each is checked against the chain as it is read.

        Raises JournalError at the first record that is missing or does not fit its hash.
        """
        before = self.record(after)
        for record in self.unchecked_records(after):
            check_next(before, record)
            before = record
            yield record

    def record(self, number: int) -> Record:
        """One record as it stands; number 0 stands before the first one. JournalError if there is none."""
        if number == 0:
            return before_first(self.epoch)
        for row in self._rows(f"{_RECORD} WHERE number = ?", number):
            return _as(Record, "record", row)
        raise JournalError(f"there is no record {number} in the journal {self.path}")

    def unchecked_records(self, after: int, most: int = -1) -> Iterator[Record]:
        """The records above ``after``, at most so many (-1: all), as they stand in the file, gaps and all."""
        rows = self._rows(f"{_RECORD} WHERE number > ? ORDER BY number LIMIT ?", after, most)
        return map(partial(_as, Record, "record"), rows)

    def unchecked_messages(
        self, first: int = _LOWEST, last: int = _HIGHEST, most: int = -1
    ) -> Iterator[StoredMessage]:
        """The messages from ``first`` to ``last``, at most so many (-1: all), gaps and all."""
        rows = self._rows(
            f"SELECT sequence, body, hash, {self._seal} FROM messages"
            " WHERE sequence BETWEEN ? AND ? ORDER BY sequence LIMIT ?",
            first,
            last,
            most,
        )
        return map(partial(_as, StoredMessage, "message"), rows)

    def lowest_message(self) -> int | None:
        """Sequence of the first message that stands in the file, None if none does."""
        for (sequence,) in self._rows("SELECT min(sequence) FROM messages"):
            return sequence if isinstance(sequence, int) else None
        return None

    def messages(self, after: int, limit: int) -> list[StoredMessage]:
        """Up to ``limit`` messages above ``after``, in order, without a gap among them.

        Messages that were pruned are passed over.
        """
        found = list(self.unchecked_messages(after + 1, most=limit))
        for place, message in enumerate(found):
            if message.sequence != found[0].sequence + place:
                raise JournalError(
                    f"message {found[0].sequence + place} is missing in the journal {self.path}"
                )
        return found

    def messages_of(self, record_number: int) -> list[bytes]:
        """The messages that were committed with this record; JournalError if they are pruned or never
        were."""
        return self.said_with(self.record(record_number), self.record(record_number - 1).stream)

    def said_with(self, record: Record, before: int) -> list[bytes]:
        """The same for a record at hand, where the stream stood at ``before`` ahead of it."""
        return [message.body for message in self.messages_with(record, before)]

    def messages_with(self, record: Record, before: int) -> list[StoredMessage]:
        """The same with who signed them."""
        found = list(self.unchecked_messages(before + 1, record.stream)) if record.stream > before else []
        if [message.sequence for message in found] != list(range(before + 1, record.stream + 1)):
            these = f"messages {before + 1} to {record.stream} of record {record.number}"
            raise JournalError(f"{these} were pruned or are missing")
        return found

    def record_of(self, sequence: int) -> int:
        """Number of the record that this message was committed with, by what the records say; of the one
        behind the last where none says it. Looks through all of them."""
        for (number,) in self._rows(
            "SELECT number FROM records WHERE stream >= ? ORDER BY number LIMIT 1", sequence
        ):
            return int(number)
        return self.record_head + 1

    def stream_at(self, record_number: int) -> StreamMark:
        """The stream's head as it stood after this record; 0 asks for the start."""
        return self.mark_at(self.record(record_number).stream)

    def snapshot(self) -> tuple[int, bytes] | None:
        """The newest whole snapshot and the number of the record that it stands after."""
        for number, body in self._snapshots():
            if body is not None:
                return number, body
        return None

    def damaged_snapshots(self) -> Iterator[int]:
        """The records after which a snapshot stands that does not fit its hash."""
        for number, body in self._snapshots():
            if body is None:
                yield number

    def _snapshots(self) -> Iterator[tuple[int, bytes | None]]:
        """Newest first; None for the body of one that was changed or stands nowhere."""
        rows = self._rows(
            "SELECT record, snapshots.body, snapshots.hash, records.hash FROM snapshots"
            " LEFT JOIN records ON number = record ORDER BY record DESC"
        )
        for number, body, digest, hash_there in rows:
            after = before_first(self.epoch).hash if number == 0 else hash_there
            whole = (
                isinstance(body, bytes) and isinstance(after, bytes) and digest == snapshot_hash(after, body)
            )
            yield number, body if whole else None

    def cursors(self) -> dict[str, int]:
        """Consumer -> the sequence up to which everything is safe with it. JournalError where a damaged row
        says something else.
        """
        rows = list(self._rows("SELECT consumer, sequence FROM cursors ORDER BY consumer"))
        try:
            return dict(msgspec.convert(rows, list[tuple[str, int]]))
        except msgspec.ValidationError as error:
            raise JournalError(f"where a consumer stands is damaged: {why(error)}") from error

    def hold_still(self) -> None:
        """What is committed from here on is not seen any more."""
        list(self._rows("BEGIN"))

    def ill_structured(self, most: int) -> Iterator[str]:
        """What SQLite itself finds wrong with the file, at most so much."""
        return (text for (text,) in self._rows(f"PRAGMA integrity_check({most})") if text != "ok")

    def close(self) -> None:
        """Let go of the file; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._connection.close()

    def stream_end(self) -> StreamMark:
        """The last message, though it be pruned; the start where there is none."""
        for row in self._rows("SELECT sequence, hash FROM messages ORDER BY sequence DESC LIMIT 1"):
            return _as(StreamMark, "message", row)
        return self.pruned()

    def pruned(self) -> StreamMark:
        """The last message that was taken out; the start where none was."""
        pruned = self._meta("pruned_sequence", 0), self._meta("pruned_hash", ZERO_HASH)
        return _as(StreamMark, "message", pruned)

    def mark_at(self, sequence: int) -> StreamMark:
        """The place in the stream where this message stands last; JournalError if it was pruned or never
        was."""
        if sequence == 0:
            return StreamMark(0, ZERO_HASH)
        for row in self._rows("SELECT sequence, hash FROM messages WHERE sequence = ?", sequence):
            return _as(StreamMark, "message", row)
        pruned = self.pruned()
        if pruned.sequence != sequence:
            raise JournalError(f"message {sequence} was pruned or is missing in the journal {self.path}")
        return pruned

    def _meta(self, name: str, absent: object) -> object:
        for row in self._rows("SELECT value FROM meta WHERE name = ?", name):
            return row[0]
        return absent

    def _rows(self, statement: str, *arguments: object) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._connection.execute(statement, arguments)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise JournalError(f"cannot read the journal {self.path}: {why(error)}") from error
