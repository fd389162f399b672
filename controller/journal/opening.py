"""What is looked at before a journal is trusted: its structure, its tail, and what a power cut left
behind."""

from __future__ import annotations

import contextlib
import sqlite3
from itertools import pairwise
from pathlib import Path

from controller.journal.reader import SqliteReader
from controller.journal.record import fits
from controller.journal.verify import Link
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


def check_small(reader: SqliteReader, link: Link | None) -> None:
    """Raise JournalError if a small journal is damaged anywhere; a longer one is not looked at."""
    try:
        rows = reader.record_head + reader.stream_head - reader.pruned().sequence
        if rows <= SMALL_ROWS:
            Walk(reader, link).step(SMALL_ROWS)
    except JournalError as error:
        raise _damaged(reader, error) from error


def _damaged(reader: SqliteReader, error: JournalError) -> JournalError:
    return JournalError(
        f"the journal {reader.path} is damaged: {error.message}. Run dealer-table verify and put back a"
        " copy, or replace the unit"
    )


def cut_tail(reader: SqliteReader, connection: sqlite3.Connection) -> str | None:
    """Cut records off the end that are not whole, with their messages; says what went, None if all is
    whole.

    Raises JournalError if the damage is no tail, or where a consumer already has what would go.
    """
    walk = _walk_of_the_start(reader)
    try:
        while not walk.done:
            walk.step(1)
        if reader.stream_head == walk.last.stream:
            return None
        reason = f"messages above {walk.last.stream} belong to no record"
    except JournalError as error:
        reason = error.message
    number, stream = walk.last.number, walk.last.stream
    damaged = f"the journal {reader.path} is damaged: {reason}"
    behind = _whole_behind(reader, number)
    if behind is not None:
        raise JournalError(
            f"{damaged}; record {behind} behind it is whole, so this is no torn tail."
            " Run dealer-table verify and put back a copy"
        )
    holding = sorted(name for name, sequence in reader.cursors().items() if sequence > stream)
    if holding:
        raise JournalError(
            f"{damaged}; {', '.join(holding)} acknowledged messages above {stream}, so it cannot be cut."
            " Put back a copy, or replace the unit"
        )
    connection.execute("BEGIN IMMEDIATE")
    lost = connection.execute("DELETE FROM records WHERE number > ?", (number,)).rowcount
    connection.execute("DELETE FROM messages WHERE sequence > ?", (stream,))
    connection.execute("DELETE FROM snapshots WHERE record > ?", (number,))
    connection.execute("COMMIT")
    return f"{reason}; {lost} records were cut off after record {number}"


def _walk_of_the_start(reader: SqliteReader) -> Walk:
    """Over what the start folds, with the messages it compares. JournalError if it could not begin: then
    nothing may be cut, for what follows may be whole.
    """
    snapshot = reader.snapshot()
    try:
        if snapshot is None and reader.pruned().sequence:
            raise JournalError("messages were pruned, and no whole snapshot stands behind them")
        return Walk(reader, after=snapshot[0] if snapshot else 0)
    except JournalError as error:
        raise _damaged(reader, error) from error


def _whole_behind(reader: SqliteReader, number: int) -> int | None:
    """A whole record behind the first bad one, which follows on ``number``; then this is no torn tail, but
    damage in the middle."""
    with contextlib.suppress(JournalError):
        for before, record in pairwise(reader.unchecked_records(number)):
            if record.number == before.number + 1 and fits(before.hash, record):
                return record.number
    return None


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
