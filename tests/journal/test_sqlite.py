"""The journal in a file: how it is made, one owner, and what survives the program."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.journal.migrations import VERSION
from controller.journal.reader import SqliteReader
from controller.journal.record import CLOCK_SET_MS, ZERO_HASH
from controller.journal.sqlite import KEPT_SNAPSHOTS, PAGE_SIZE, SqliteJournal
from controller.journal.verify import verify
from controller.vocabulary.errors import JournalError
from tests.faults.disk import OK, Call, Disk, sqlite_on
from tests.journal.disks import EPOCH, change, filled


class TestCreation:
    def test_a_new_journal_needs_a_new_file(self, path: Path) -> None:
        filled(path, 1)
        with pytest.raises(JournalError, match="there already"):
            SqliteJournal.create(path, epoch=EPOCH + 1)
        with SqliteJournal.open(path) as journal:
            assert (journal.epoch, journal.record_head) == (EPOCH, 1)

    def test_what_an_interrupted_creation_left_is_in_nobodys_way(self, path: Path) -> None:
        path.with_name("table.db.new").write_bytes(b"half a file")
        SqliteJournal.create(path, epoch=EPOCH).close()
        assert not path.with_name("table.db.new").exists()

    def test_a_directory_that_is_not_there_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(JournalError, match="absent/table"):
            SqliteJournal.create(tmp_path / "absent" / "table.db", epoch=EPOCH)

    @pytest.mark.parametrize("epoch", [0, -1, 1 << 63])
    def test_an_epoch_is_positive(self, path: Path, epoch: int) -> None:
        with pytest.raises(ValueError, match="epoch"):
            SqliteJournal.create(path, epoch=epoch)
        assert not path.exists()

    def test_a_path_with_odd_characters_is_a_path(self, tmp_path: Path) -> None:
        odd = tmp_path / "table #7?mode=memory%41.db"
        filled(odd, 1)
        assert odd.stat().st_size > 0
        with SqliteReader.open(odd) as reader:
            assert reader.record_head == 1


class Stubborn:
    """A connection whose disk takes neither a COMMIT nor a ROLLBACK, or not what is named."""

    def __init__(self, real: sqlite3.Connection, *refused: str) -> None:
        self._real, self.fails = real, True
        self._refused = refused or ("COMMIT", "ROLLBACK")

    def execute(self, statement: str, *rest: Any) -> sqlite3.Cursor:
        if self.fails and statement in self._refused:
            raise sqlite3.OperationalError("disk I/O error")
        return self._real.execute(statement, *rest)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class Syncs(Disk):
    """Counts."""

    watches = frozenset({"sync"})

    def __init__(self) -> None:
        self.syncs = 0

    def before(self, call: Call) -> int:
        self.syncs += 1
        return OK


@pytest.fixture
def journal(path: Path) -> Iterator[SqliteJournal]:
    """A new one, whose consumer has three messages before it."""
    with SqliteJournal.create(path, epoch=EPOCH, clock_ms=lambda: CLOCK_SET_MS) as made:
        made.add_consumer("settlement")
        made.commit([b"r"], [b"m1", b"m2", b"m3"], snapshot=b"s")
        yield made


def cursor_on_disk(path: Path) -> int:
    with SqliteReader.open(path) as reader:
        return reader.cursors()["settlement"]


class TestDurability:
    def test_every_commit_is_synced_in_a_write_ahead_log(self, journal: SqliteJournal) -> None:
        connection = journal._connection
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)

    def test_what_is_deleted_is_not_written_over(self, journal: SqliteJournal) -> None:
        """Debian's SQLite does so by itself, and each snapshot would be written twice."""
        assert journal._connection.execute("PRAGMA secure_delete").fetchone() == (2,)

    @pytest.mark.parametrize(("made_with", "pages_in_the_log"), [(None, 16000), (4096, 2000)])
    def test_a_journal_keeps_the_size_of_pages_that_it_was_made_with(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, made_with: int | None, pages_in_the_log: int
    ) -> None:
        """And as many bytes stand in its log, whatever that is."""
        if made_with is not None:
            monkeypatch.setattr("controller.journal.sqlite.PAGE_SIZE", made_with)
        filled(path, 20)
        monkeypatch.undo()
        with SqliteJournal.open(path) as journal:
            journal.commit([b"r"])
            execute = journal._connection.execute
            assert execute("PRAGMA page_size").fetchone() == (made_with or PAGE_SIZE,)
            assert execute("PRAGMA wal_autocheckpoint").fetchone() == (pages_in_the_log,)
        assert verify(path).findings == []

    @pytest.mark.parametrize("with_the_next", ["flush", "commit", "close"])
    def test_a_cursor_is_in_the_file_with_the_next_flush_or_commit_or_at_the_end(
        self, journal: SqliteJournal, path: Path, with_the_next: str
    ) -> None:
        journal.set_cursor("settlement", 1)
        assert cursor_on_disk(path) == 0
        journal.commit([b"r"]) if with_the_next == "commit" else getattr(journal, with_the_next)()
        assert cursor_on_disk(path) == 1

    def test_a_flush_waits_for_the_disk_and_costs_nothing_where_a_commit_wrote_the_cursors(
        self, path: Path
    ) -> None:
        """What a power cut leaves of two writes that no sync lies between looks like damage."""
        disk = Syncs()
        with sqlite_on(disk), SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.add_consumer("settlement")
            journal.commit([b"r"], [b"m"] * 5)
            for number, before_it in ((1, ""), (2, ""), (3, "commit"), (4, "")):
                journal.set_cursor("settlement", number)
                if before_it:
                    journal.commit([b"r"])
                before = disk.syncs
                journal.flush()
                assert disk.syncs - before == (0 if before_it else 1), number

    def test_what_is_pruned_is_needed_by_nobody_by_the_word_of_the_file(
        self, journal: SqliteJournal, path: Path
    ) -> None:
        journal.set_cursor("settlement", 3)
        assert journal.prune(CLOCK_SET_MS + 1) == 3
        assert cursor_on_disk(path) == journal.pruned().sequence

    def test_a_consumer_that_stands_before_what_was_pruned_is_put_behind_it(
        self, journal: SqliteJournal, path: Path
    ) -> None:
        journal.set_cursor("settlement", 3)
        journal.prune(CLOCK_SET_MS + 1)
        journal.close()
        change(path, "UPDATE cursors SET sequence = 1")
        assert [finding.code for finding in verify(path).findings] == ["cursor"]
        with SqliteJournal.open(path) as journal:
            assert journal.cursors() == {"settlement": 3}
            assert journal.notes == (
                "settlement stood before message 3, up to which all was acknowledged and pruned",
            )
        assert verify(path).findings == []

    @pytest.mark.parametrize("again", ["flush", "commit"])
    def test_cursors_that_the_disk_did_not_take_are_written_with_what_it_takes_next(
        self, journal: SqliteJournal, path: Path, again: str
    ) -> None:
        journal.set_cursor("settlement", 1)
        real, failing = journal._connection, Stubborn(journal._connection)
        journal._connection = failing  # type: ignore[assignment]
        for attempt in (journal.flush, lambda: journal.commit([b"r"])):
            with pytest.raises(JournalError):
                attempt()
            assert real.in_transaction  # nor did it take the end of what had begun
        failing.fails = False
        journal.commit([b"r"]) if again == "commit" else journal.flush()
        assert cursor_on_disk(path) == 1
        assert verify(path).findings == []

    def test_only_the_newest_snapshots_are_kept(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            for number in range(1, 6):
                journal.commit([b"r"], snapshot=b"s%d" % number)
            kept = journal._connection.execute("SELECT record FROM snapshots ORDER BY record").fetchall()
            assert kept == [(4,), (5,)]
            assert len(kept) == KEPT_SNAPSHOTS

    def test_a_damaged_snapshot_gives_way_to_the_one_before(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            for number in range(1, 4):
                journal.commit([b"r"], snapshot=b"s%d" % number)
        change(path, "UPDATE snapshots SET body = x'00' WHERE record = 3")
        with SqliteJournal.open(path) as journal:
            assert journal.snapshot() == (2, b"s2")

    def test_kill_9_in_the_midst_of_commits_loses_nothing_that_was_committed(self, path: Path) -> None:
        """Fifteen lives of a writer that says what it has committed; each ends at a random moment."""
        SqliteJournal.create(path, epoch=EPOCH).close()
        choose = random.Random(11)
        said = 0
        for _ in range(15):
            with subprocess.Popen(
                [sys.executable, "-c", WRITER, str(path)],
                stdout=subprocess.PIPE,
                env=OURS,
            ) as writer:
                assert writer.stdout is not None
                for _ in range(choose.randint(1, 120)):
                    said = int(writer.stdout.readline())
                writer.send_signal(signal.SIGKILL)
                rest = writer.stdout.read().split(b"\n")[:-1]
            said = int(rest[-1]) if rest else said
            assert verify(path).findings == []
            with SqliteJournal.open(path) as journal:
                assert journal.record_head >= said
                for record in journal.records():
                    assert record.body == b"record %d" % record.number
                    assert journal.messages_of(record.number) == [b"message %d" % record.number] * (
                        record.number % 3
                    )


OURS = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
WRITER = """
import sys
from pathlib import Path
from controller.journal.sqlite import SqliteJournal
journal = SqliteJournal.open(Path(sys.argv[1]))
while True:
    number = journal.record_head + 1
    group = range(number, number + number % 4 + 1)
    counts = [n % 3 for n in group]
    journal.commit(
        [b"record %d" % n for n in group],
        [b"message %d" % n for n in group for _ in range(n % 3)],
        counts=counts,
        snapshot=b"snapshot" if number % 5 == 0 else None,
    )
    print(journal.record_head, flush=True)
"""


class TestOneOwner:
    def test_a_second_one_is_refused_and_told_who_has_it(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            with pytest.raises(JournalError, match=f"process {os.getpid()}") as refused:
                SqliteJournal.open(path)
            assert refused.value.code == "journal_locked"
            journal.commit([b"r"])
        SqliteJournal.open(path).close()

    def test_another_process_is_refused_too(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH):
            done = subprocess.run(
                [sys.executable, "-c", WRITER, str(path)],
                capture_output=True,
                text=True,
                env=OURS,
            )
        assert done.returncode != 0
        assert "one table has one controller" in done.stderr

    def test_readers_are_welcome(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal, SqliteReader.open(path) as reader:
            journal.commit([b"r1"], [b"m1"])
            assert [record.body for record in reader.records()] == [b"r1"]
            journal.commit([b"r2"], [b"m2"])
            assert (reader.record_head, reader.stream_head, reader.epoch) == (2, 2, EPOCH)

    def test_a_file_that_was_deleted_or_replaced_takes_nothing_more(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.commit([b"r1"])
            path.unlink()
            with pytest.raises(JournalError, match="deleted or moved") as gone:
                journal.commit([b"r2"])
            assert gone.value.code == "journal_gone"
            path.write_bytes(b"another")
            with pytest.raises(JournalError):
                journal.commit([b"r2"])
            assert journal.record_head == 1


def test_older_software_can_go_on_with_a_journal_until_we_write_to_it(tmp_path: Path) -> None:
    """A new version that is installed and does not come up makes way for the one before."""
    path = tmp_path / "table.db"
    shutil.copyfile(Path(__file__).parent / "journals" / f"version-{VERSION - 1}.db", path)

    def version() -> int:
        with closing(sqlite3.connect(path)) as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    with SqliteJournal.open(path) as journal:
        assert version() == VERSION - 1
        journal.commit([b"record"])
        assert version() == VERSION


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_journal_of_an_earlier_version_opens_for_ever(tmp_path: Path, version: int) -> None:
    """A file that earlier software wrote; migrations bring it forward, and it reads the same."""
    path = tmp_path / "table.db"
    shutil.copyfile(Path(__file__).parent / "journals" / f"version-{version}.db", path)
    with SqliteJournal.open(path) as journal:
        assert journal.notes == ()
        assert journal.epoch == 1_700_000_000_000
        assert [(r.number, r.body, r.stream) for r in journal.records()] == [
            (1, b"first record", 1),
            (2, b"second record", 1),
            (3, b"third record", 3),
        ]
        assert [m.body for m in journal.messages(0, 10)] == [b"message 1", b"message 2", b"message 3"]
        assert journal.snapshot() == (2, b"snapshot")
        assert journal.cursors() == {"settlement": 2}
        assert journal.stream_at(0).hash == ZERO_HASH
    assert verify(path).findings == []
