"""What is looked at before a journal is trusted: its structure, its tail, and what a power cut left
behind."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

from controller.journal.reader import SqliteReader
from controller.journal.record import Record, check_next, fits, stored
from controller.journal.verify import MessageLink
from controller.journal.wal import behind_the_end
from controller.journal.walk import Walk
from controller.vocabulary.errors import JournalError

FULL_CHECK_BYTES = 256 * 1024 * 1024
"""A larger file is not read whole at the start; ``verify`` does that."""
SMALL_ROWS = 3000
"""Records and messages of a journal that is walked whole before the table starts: some 15 ms, and about 150
rounds. A longer one is walked while the table runs."""


def check_log(path: Path) -> str | None:
    """Says so where a write was under way when the power or the program went; it has not happened.

    Raises JournalError if durable transactions stand behind a damaged one. Call it before SQLite opens
    the file.
    """
    behind = behind_the_end(path)
    if behind == "transactions":
        raise JournalError(
            f"the journal {path} is damaged: its log {path.name}-wal holds whole transactions behind a bad"
            " one. Keep both files, and put back a copy or replace the unit"
        )
    return (
        "a write that was under way when the power or the program went was cut off"
        if behind == "unfinished"
        else None
    )


def check_structure(path: Path, connection: sqlite3.Connection) -> None:
    """Raise JournalError if SQLite itself finds the file damaged; large files are left to ``verify``."""
    if path.stat().st_size > FULL_CHECK_BYTES:
        return
    findings = [row[0] for row in connection.execute("PRAGMA quick_check(3)")]
    if findings != ["ok"]:
        raise JournalError(f"the journal {path} is damaged: {'; '.join(findings)}; run dealer-table verify")


def check_small(reader: SqliteReader, link: Callable[[bytes], MessageLink] | None) -> None:
    """Raise JournalError if a small journal is damaged anywhere; a longer one is not looked at."""
    try:
        rows = reader.record_head + reader.stream_head - reader.pruned().sequence
        if rows <= SMALL_ROWS:
            Walk(reader, link).step(SMALL_ROWS)
    except JournalError as error:
        raise JournalError(
            f"the journal {reader.path} is damaged: {error.message}. Run dealer-table verify and put back a"
            " copy, or replace the unit"
        ) from error


def cut_tail(reader: SqliteReader, connection: sqlite3.Connection) -> str | None:
    """Cut records off the end that are not whole, with their messages; says what went, None if all is
    whole.

    Raises JournalError if the damage is no tail, or where a consumer already has what would go.
    """
    tail = Tail(reader)
    if tail.reason is None:
        return None
    damaged = f"the journal {reader.path} is damaged: {tail.reason}"
    behind = tail.stands_behind()
    if behind is not None:
        raise JournalError(
            f"{damaged}; record {behind.number} behind it is whole, so this is no torn tail."
            " Run dealer-table verify and put back a copy"
        )
    stream = reader.record(tail.last_whole).stream
    holding = sorted(name for name, sequence in reader.cursors().items() if sequence > stream)
    if holding:
        raise JournalError(
            f"{damaged}; {', '.join(holding)} acknowledged messages above {stream}, so it cannot be cut."
            " Put back a copy, or replace the unit"
        )
    connection.execute("BEGIN IMMEDIATE")
    lost = connection.execute("DELETE FROM records WHERE number > ?", (tail.last_whole,)).rowcount
    connection.execute("DELETE FROM messages WHERE sequence > ?", (stream,))
    connection.execute("DELETE FROM snapshots WHERE record > ?", (tail.last_whole,))
    connection.execute("COMMIT")
    return f"{tail.reason}; {lost} records were cut off after record {tail.last_whole}"


def lift_cursors(reader: SqliteReader, connection: sqlite3.Connection) -> str | None:
    """Put consumers that stand before what was pruned behind it; says who, None if nobody does.

    They had acknowledged it, or it would not have been pruned: only their place was lost with the power.
    """
    pruned = reader.pruned().sequence
    behind = sorted(name for name, sequence in reader.cursors().items() if sequence < pruned)
    if not behind:
        return None
    connection.execute("UPDATE cursors SET sequence = ? WHERE sequence < ?", (pruned, pruned))
    return f"{', '.join(behind)} stood before message {pruned}, up to which all was acknowledged and pruned"


class Tail:
    """The records that a start will fold, from the last snapshot on, and the first that is not whole."""

    def __init__(self, reader: SqliteReader) -> None:
        self._reader = reader
        snapshot = reader.snapshot()
        self.last_whole = snapshot[0] if snapshot else 0
        self.reason: str | None = None
        self._walk()

    def _walk(self) -> None:
        before = self._reader.record(self.last_whole)
        try:
            for record in self._reader.unchecked_records(self.last_whole):
                check_next(before, record)
                self._check_messages(record.number)
                before, self.last_whole = record, record.number
            if self._reader.stream_head != before.stream:
                raise JournalError(f"messages above {before.stream} belong to no record")
        except JournalError as error:
            self.reason = error.message

    def _check_messages(self, number: int) -> None:
        for message in self._reader.stored_messages_of(number):
            if stored(message.sequence, message.body) != message:
                raise JournalError(f"message {message.sequence} does not fit its hash")

    def stands_behind(self) -> Record | None:
        """A whole record behind the first bad one: then this is no torn tail, but damage in the middle."""
        previous: Record | None = None
        try:
            for record in self._reader.unchecked_records(self.last_whole):
                if (
                    previous is not None
                    and record.number == previous.number + 1
                    and fits(previous.hash, record)
                ):
                    return record
                previous = record
        except JournalError:
            return None
        return None
