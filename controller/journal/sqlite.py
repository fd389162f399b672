"""The journal in one SQLite file: write-ahead log, ``synchronous=FULL``, one owner.

One commit costs one sync of the disk. What a failed commit had begun is rolled back and its pages are
written again by the next one, so nothing rests on a sync that failed.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from msgspec.structs import astuple

from controller.journal.files import (
    WriterLock,
    beside,
    create_private,
    make_private,
    owned_as_folder,
    sync,
)
from controller.journal.migrations import SHAPED, VERSION, migrate, version_of
from controller.journal.opening import check_log, check_small, check_structure, cut_tail, lift_cursors
from controller.journal.reader import SqliteReader, attach
from controller.journal.record import (
    CLOCK_SET_MS,
    Record,
    Seal,
    StoredMessage,
    StreamMark,
    chained,
    shares,
    snapshot_hash,
    stored,
)
from controller.journal.verify import Link
from controller.vocabulary.errors import JournalError, why

KEPT_SNAPSHOTS = 2
PAGE_SIZE = 512
"""Bytes of a page of a new journal. The log takes whole pages, a dozen for each card, and small ones are half
of what the disk has to write; a journal that is there keeps the size it was made with."""
CHECKPOINT_BYTES = 8_192_000
"""The write-ahead log is moved into the file at the latest after this much of pages; ``checkpoint`` does it
earlier, where the table is idle now and then."""


def wall_ms() -> int:
    """Wall time, ms since 1970."""
    return time.time_ns() // 1_000_000


class CursorError(JournalError):
    """A consumer's cursor would go backwards, beyond the head, or nobody knows the consumer."""

    code = "cursor"


class SqliteJournal(SqliteReader):
    """A journal file with its one writer, in one thread."""

    notes: tuple[str, ...]
    """What was mended at the opening, for the record and for people."""
    seal: Seal | None = None
    """Signs what is committed; None: nobody does."""

    def __init__(
        self, path: Path, connection: sqlite3.Connection, lock: WriterLock, clock_ms: Callable[[], int]
    ) -> None:
        super().__init__(path, connection)
        self._lock = lock
        self._clock_ms = clock_ms
        self.notes = ()
        self._inode = os.stat(path).st_ino
        self._head: Record = self.record(super().record_head)
        self._mark: StreamMark = super().stream_end()
        self._cursors: dict[str, int] = super().cursors()
        self._moved: set[str] = set()
        self._older = connection.execute("PRAGMA user_version").fetchone()[0] < VERSION
        """The file is as older software wrote it: until the first commit that software can go on with it."""
        self._newest: list[StoredMessage] = []
        """The messages of the last commit: they are asked for at once, to be sent."""

    @classmethod
    def create(cls, path: Path, *, epoch: int, clock_ms: Callable[[], int] = wall_ms) -> Self:
        """A new journal; ``epoch`` must be larger than that of any journal this table had.

        The file appears whole or not at all. Raises JournalError if something stands there already.
        """
        if not 0 < epoch < 1 << 63:
            raise ValueError(f"an epoch is a positive number of 63 bits, not {epoch}")
        lock = WriterLock(path)
        try:
            if path.exists():
                raise JournalError(f"{path} is there already; a new journal needs a new file")
            if beside(path, "-wal").exists():
                # SQLite would put the old log into the new file.
                raise JournalError(f"{path}-wal has lost its journal; run dealer-table rescue {path}")
            _write_new(path, epoch)
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"cannot create the journal {path}: {why(error)}") from error
        finally:
            lock.release()
        return cls.open(path, clock_ms=clock_ms)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock_ms: Callable[[], int] = wall_ms,
        link: Link | None = None,
    ) -> Self:
        """Take the journal, migrate and check it; a torn tail is cut back and said in ``notes``.

        ``link`` as for ``verify``. A long journal is checked from its last snapshot on; the rest is a
        ``Walk``'s business.
        Its files are closed to other users, whatever mode they had. Raises JournalError if it is absent,
        taken (code ``journal_locked``), damaged elsewhere or newer than us.
        """
        if not path.exists():
            raise JournalError(f"there is no journal at {path}")
        try:
            with contextlib.ExitStack() as refused:
                lock = WriterLock(path)
                refused.callback(lock.release)
                readable = make_private(path)
                unfinished = check_log(path)
                connection = attach(path, "rw")
                refused.callback(connection.close)
                version = version_of(connection, path)
                connection.execute("PRAGMA journal_mode = WAL")  # a copy from ``back_up`` has it turned off
                connection.execute("PRAGMA synchronous = FULL")
                # Debian's SQLite writes zeros over what is deleted: each snapshot would be written twice.
                connection.execute("PRAGMA secure_delete = FAST")
                (page_size,) = connection.execute("PRAGMA page_size").fetchone()
                most_pages = CHECKPOINT_BYTES // page_size
                connection.execute(f"PRAGMA wal_autocheckpoint = {most_pages}")
                check_structure(path, connection)
                migrate(connection, version, SHAPED)
                reader = SqliteReader(path, connection)
                cut = cut_tail(reader, connection)
                check_small(reader, link)
                lifted = lift_cursors(reader, connection)
                journal = cls(path, connection, lock, clock_ms)
                journal.notes = tuple(note for note in (unfinished, cut, lifted, *readable) if note)
                refused.pop_all()
                return journal
        except (OSError, sqlite3.Error) as error:
            raise JournalError(f"cannot open the journal {path}: {why(error)}") from error

    @property
    def record_head(self) -> int:
        """Number of the last record, 0 when there is none."""
        return self._head.number

    def stream_end(self) -> StreamMark:
        """The last message, as the last commit left it."""
        return self._mark

    def commit(
        self,
        records: Sequence[bytes],
        messages: Sequence[bytes] = (),
        *,
        counts: Sequence[int] | None = None,
        snapshot: bytes | None = None,
    ) -> None:
        """Write everything in one transaction, the cursors that moved too; on return it is durable.

        ``counts`` says how many of ``messages`` belong to each record, in order (group commit); without it
        all belong to the last record. ``snapshot`` stands after the last record.
        Raises JournalError (disk full, read-only, I/O error): then nothing has changed, here or in the file,
        and the same call may be made again. ValueError if the arguments do not fit each other.
        """
        shared = shares(len(records), len(messages), counts)
        new_messages = [
            stored(self.stream_head + place, body, self.seal) for place, body in enumerate(messages, start=1)
        ]
        at_ms = max(self._head.at_ms, self._clock_ms(), 0)
        new_records: list[Record] = []
        last, stream = self._head, self.stream_head
        for body, count in zip(records, shared, strict=True):
            stream += count
            last = chained(last, at_ms, stream, body)
            new_records.append(last)
        self._check_in_place()
        with self._transaction():
            if self._older:
                self._connection.execute(f"PRAGMA user_version = {VERSION}")
            self._connection.executemany(
                "INSERT INTO records VALUES (?, ?, ?, ?, ?)", map(astuple, new_records)
            )
            self._connection.executemany(
                "INSERT INTO messages VALUES (?, ?, ?, ?)", map(astuple, new_messages)
            )
            if snapshot is not None:
                self._insert_snapshot(last, snapshot)
            self._write_cursors()
        self._moved.clear()
        self._older = False
        self._head = last
        if new_messages:
            self._mark = StreamMark(new_messages[-1].sequence, new_messages[-1].hash)
            self._newest = new_messages

    def messages(self, after: int, limit: int) -> list[StoredMessage]:
        """Up to ``limit`` messages above ``after``, in order."""
        newest = self._newest
        if newest and after >= newest[0].sequence - 1:
            start = after - newest[0].sequence + 1
            return newest[start : start + limit]
        return super().messages(after, limit)

    def _insert_snapshot(self, after: Record, body: bytes) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)",
            (after.number, body, snapshot_hash(after.hash, body)),
        )
        self._connection.execute(
            "DELETE FROM snapshots WHERE record NOT IN"
            " (SELECT record FROM snapshots ORDER BY record DESC LIMIT ?)",
            (KEPT_SNAPSHOTS,),
        )

    def cursors(self) -> dict[str, int]:
        """Consumer -> the sequence up to which everything is safe with it."""
        return dict(self._cursors)

    def add_consumer(self, name: str) -> None:
        """Name a consumer: it starts at the head. One that is known already keeps its cursor."""
        if name in self._cursors:
            return
        with self._transaction():
            self._connection.execute("INSERT INTO cursors VALUES (?, ?)", (name, self.stream_head))
        self._cursors[name] = self.stream_head

    def retire_consumer(self, name: str) -> None:
        """Forget a consumer; its cursor holds nothing back any more. CursorError if nobody knows it."""
        if name not in self._cursors:
            known = ", ".join(sorted(self._cursors)) or "none"
            raise CursorError(f"consumer {name!r} is not named in this journal; it has {known}")
        with self._transaction():
            self._connection.execute("DELETE FROM cursors WHERE consumer = ?", (name,))
        del self._cursors[name]
        self._moved.discard(name)

    def set_cursor(self, consumer: str, sequence: int) -> None:
        """Everything up to ``sequence`` is safe with this consumer.

        CursorError if that goes backwards, beyond the head, or nobody knows the consumer. Held in memory
        and written with the next commit or ``flush``: a lost cursor means sending again, never losing.
        """
        held = self._cursors.get(consumer)
        if held is None:
            raise CursorError(
                f"consumer {consumer!r} is not named in this journal; name it under mqtt.consumers"
            )
        if sequence > (head := self.stream_head):
            raise CursorError(f"consumer {consumer!r} acknowledges {sequence}, but the stream ends at {head}")
        if sequence < held:
            raise CursorError(
                f"consumer {consumer!r} acknowledges {sequence} after {held}; a cursor never goes back"
            )
        if sequence != held:
            self._cursors[consumer] = sequence
            self._moved.add(consumer)

    @property
    def unwritten(self) -> bool:
        """Whether a cursor has moved that the file does not have yet."""
        return bool(self._moved)

    def flush(self) -> None:
        """Write the cursors that changed; nothing loses them then.

        It waits for the disk as each commit does. What a power cut leaves of two transactions that no sync
        lies between may be the second one alone, and that is what a damaged log looks like.
        """
        if not self._moved:
            return
        with self._transaction():
            self._write_cursors()
        self._moved.clear()

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file as far as no reader is in the way. May wait for the disk."""
        self._execute("PRAGMA wal_checkpoint(PASSIVE)")

    def prune(self, before_ms: int) -> int:
        """Take out messages that every consumer has, that were committed before this wall time, and that no
        restart would recompute; how many went. Nothing goes while no consumer is named.
        """
        snapshot = self.snapshot()
        if not self._cursors or snapshot is None:
            return 0
        old = "SELECT coalesce(max(number), 0) FROM records WHERE at_ms BETWEEN ? AND ? AND number <= ?"
        ((number,),) = self._rows(old, CLOCK_SET_MS, before_ms - 1, snapshot[0])
        last = min(self.record(number).stream, *self._cursors.values())
        if last <= self.pruned().sequence:
            return 0
        mark = self.mark_at(last)
        self._newest = []
        with self._transaction():
            self._write_cursors()  # the file must not say that somebody still needs what goes
            gone = self._connection.execute("DELETE FROM messages WHERE sequence <= ?", (last,)).rowcount
            self._connection.executemany(
                "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                [("pruned_sequence", mark.sequence), ("pruned_hash", mark.hash)],
            )
        return gone

    def close(self) -> None:
        """Write the cursors, let go of the file and of the lock."""
        if self._closed:
            return
        try:
            self.flush()
        finally:
            super().close()
            self._lock.release()

    def _write_cursors(self) -> None:
        for name in self._moved:
            self._connection.execute(
                "UPDATE cursors SET sequence = ? WHERE consumer = ?", (self._cursors[name], name)
            )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """BEGIN ... COMMIT; whatever goes wrong leaves nothing behind and becomes a JournalError."""
        # Where the disk refused that, too, the last time.
        self._roll_back()
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            self._roll_back()
            raise JournalError(
                f"cannot write the journal {self.path}: {why(error)};"
                " look at the disk (space, read-only, faults)"
            ) from error
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):  # what failed has rolled back by itself
                self._connection.execute("ROLLBACK")

    def _execute(self, statement: str) -> None:
        try:
            self._connection.execute(statement)
        except sqlite3.Error as error:
            raise JournalError(f"cannot write the journal {self.path}: {why(error)}") from error

    def _check_in_place(self) -> None:
        """A file that was deleted or replaced would take what nobody finds again."""
        try:
            in_place = os.stat(self.path).st_ino == self._inode
        except OSError:
            in_place = False
        if not in_place:
            raise JournalError(
                f"the journal {self.path} was deleted or moved while it was open", code="journal_gone"
            )


def _write_new(path: Path, epoch: int) -> None:
    unfinished = path.with_name(path.name + ".new")
    unfinished.unlink(missing_ok=True)
    create_private(unfinished)
    connection = sqlite3.connect(unfinished, isolation_level=None)
    try:
        connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
        migrate(connection, 0)
        connection.execute("INSERT INTO meta VALUES ('epoch', ?)", (epoch,))
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()
    sync(unfinished)
    owned_as_folder(unfinished)
    os.rename(unfinished, path)
    sync(path.parent)
