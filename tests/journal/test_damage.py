"""What a disk may do to a journal: full, read-only, torn tails, damage in the middle."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.journal.migrations import VERSION
from controller.journal.opening import check_log
from controller.journal.reader import SqliteReader
from controller.journal.record import CLOCK_SET_MS
from controller.journal.sqlite import PAGE_SIZE, SqliteJournal
from controller.journal.verify import verify
from controller.vocabulary.errors import JournalError
from tests.journal.disks import EPOCH, change, filled, largest_file, small_disk


class TestDisk:
    def test_full_then_freed_nothing_is_half_written(self, tmp_path: Path) -> None:
        with small_disk(tmp_path, "512k") as real:
            path = tmp_path / "table.db"
            with SqliteJournal.create(path, epoch=EPOCH) as journal:
                ballast = tmp_path / "ballast"
                if real:
                    ballast.write_bytes(b"x" * 200_000)
                committed = 0

                def fill() -> None:
                    nonlocal committed
                    while True:
                        journal.commit([b"r" * 5000], [b"m" * 500])
                        committed += 1

                with (
                    largest_file(1 << 40 if real else 100_000),
                    pytest.raises(JournalError, match=r"full|I/O"),
                ):
                    fill()
                assert committed > 0
                assert (journal.record_head, journal.stream_head) == (committed, committed)
                if real:
                    ballast.unlink()
                journal.commit([b"again"], [b"again"])
                assert journal.record_head == committed + 1
            assert verify(path).findings == []
            with SqliteJournal.open(path) as journal:
                assert journal.record_head == committed + 1

    def test_an_io_error_changes_nothing_and_the_same_call_may_be_made_again(self, path: Path) -> None:
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.add_consumer("settlement")
            journal.commit([b"r1"], [b"m1"])
            journal.set_cursor("settlement", 1)
            head, stream = journal.record_head, journal.stream_hash
            for _ in range(3):
                with largest_file(4096), pytest.raises(JournalError, match="look at the disk"):
                    journal.commit([b"r2" * 5000], [b"m2"], snapshot=b"s" * 5000)
                assert (journal.record_head, journal.stream_hash, journal.snapshot()) == (head, stream, None)
                assert [record.number for record in journal.records()] == [1]
            journal.commit([b"r2" * 5000], [b"m2"], snapshot=b"s" * 5000)
            assert journal.cursors() == {"settlement": 1}
        assert verify(path).findings == []

    def test_read_only_is_said_at_the_opening(self, tmp_path: Path) -> None:
        with small_disk(tmp_path, "1m") as real:
            path = tmp_path / "table.db"
            filled(path, 3)
            if real:
                subprocess.run(["mount", "-o", "remount,ro", str(tmp_path)], check=True)
            else:
                path.with_name("table.db.lock").unlink()
                path.parent.chmod(0o555)
            try:
                with pytest.raises(JournalError, match=r"Read-only|denied"):
                    SqliteJournal.open(path)
                with SqliteReader.open(path) as reader:
                    assert [record.number for record in reader.records()] == [1, 2, 3]
                assert verify(path).findings == []
            finally:
                if not real:
                    path.parent.chmod(0o755)


@contextmanager
def of_five(path: Path) -> Iterator[SqliteJournal]:
    """An open journal of five commits, one record and one message each."""
    with SqliteJournal.create(path, epoch=EPOCH) as journal:
        for number in range(1, 6):
            journal.commit([b"record %d" % number], [b"message %d" % number])
        yield journal


def log_of(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def crashed(path: Path, content: bytes, log: bytes | bytearray) -> Path:
    """The files as a crash left them."""
    path.write_bytes(content)
    log_of(path).write_bytes(log)
    return path


FRAME = 24 + PAGE_SIZE
HEAD = 32
SECTOR = 512


class TestTornTail:
    def test_a_log_cut_anywhere_leaves_whole_commits_only(self, tmp_path: Path) -> None:
        """Power cuts as they look on the disk: the log ends after any number of bytes."""
        path, states = tmp_path / "table.db", tmp_path / "cut.db"
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            for number in range(1, 6):
                journal.commit([b"record %d" % number] * 2, [b"message %d" % number], counts=[0, 1])
            log = log_of(path).read_bytes()
            seen = set()
            for length in [*range(0, len(log), 256), len(log)]:
                with SqliteJournal.open(crashed(states, path.read_bytes(), log[:length])) as cut:
                    assert cut.record_head == 2 * cut.stream_head
                    assert [record.number for record in cut.records()] == list(range(1, cut.record_head + 1))
                    seen.add(cut.stream_head)
                log_of(states).unlink(missing_ok=True)
            assert seen == set(range(6))

    def test_a_flipped_bit_in_the_log_costs_the_last_commit_at_most_or_stops_the_table(
        self, tmp_path: Path
    ) -> None:
        path, states = tmp_path / "table.db", tmp_path / "flipped.db"
        choose = random.Random(5)
        outcomes = set()
        with of_five(path):
            content, log = path.read_bytes(), log_of(path).read_bytes()
        for place in [*range(32), *(choose.randrange(32, len(log)) for _ in range(150))]:
            flipped = bytearray(log)
            flipped[place] ^= 1 << choose.randrange(8)
            if verify(crashed(states, content, flipped)).findings:
                with pytest.raises(JournalError, match="behind a bad one"):
                    SqliteJournal.open(states)
                assert log_of(states).read_bytes() == flipped
                outcomes.add("stopped")
            else:
                with SqliteJournal.open(states) as cut:
                    assert (cut.record_head, cut.stream_head) == (4, 4)
                    assert len(cut.notes) == 1
                    outcomes.add("cut")
            log_of(states).unlink(missing_ok=True)
        assert outcomes == {"cut", "stopped"}

    def test_no_byte_of_a_frame_s_head_takes_a_durable_commit_along(self, tmp_path: Path) -> None:
        """Behind a bad frame SQLite reads nothing; a whole transaction there says that it was durable."""
        path, states = tmp_path / "table.db", tmp_path / "flipped.db"
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.add_consumer("settlement")
            for number in range(1, 4):
                journal.commit([b"record %d" % number], [b"message %d" % number])
            journal.set_cursor("settlement", 2)
            before = log_of(path).stat().st_size
            journal.flush()
            content, log = path.read_bytes(), log_of(path).read_bytes()
        assert len(log) == before + FRAME  # the last transaction is one frame
        for frame in range(HEAD, before, FRAME):
            for at, said in enumerate(log[frame : frame + 24]):
                flipped = bytearray(log)
                flipped[frame + at] ^= 1 << at % 8
                with pytest.raises(JournalError, match="behind a bad one"):
                    check_log(crashed(states, content, flipped))
                flipped[frame + at] = 0 if said else 255
                with pytest.raises(JournalError, match="behind a bad one"):
                    check_log(crashed(states, content, flipped))

    @pytest.mark.parametrize("begun_anew", [False, True])
    def test_a_commit_cut_short_in_any_sectors_is_no_damage(self, tmp_path: Path, begun_anew: bool) -> None:
        """Those that did not get there hold what the log held before, of an older round of it too."""
        path, states = tmp_path / "table.db", tmp_path / "cut.db"
        choose = random.Random(9)
        with of_five(path) as journal:
            journal.add_consumer("settlement")
            if begun_anew:
                journal.checkpoint()
                journal.commit([b"record 6"], [b"message 6"])
            journal.set_cursor("settlement", 5)
            journal.flush()
            synced = log_of(path).read_bytes()
            journal.set_cursor("settlement", 6 if begun_anew else 5)
            journal.commit([b"r" * 900] * 3, [b"m" * 700])
            content, written = path.read_bytes(), log_of(path).read_bytes()
        before = synced.ljust(len(written), b"\0")
        changed = [
            at for at in range(0, len(written), SECTOR) if written[at:][:SECTOR] != before[at:][:SECTOR]
        ]
        assert len(changed) > 8
        for _ in range(200):
            cut = bytearray(before)
            for at in choose.sample(changed, choose.randrange(len(changed))):
                cut[at : at + SECTOR] = written[at : at + SECTOR]
            check_log(crashed(states, content, cut))

    def test_what_a_failed_commit_left_in_the_log_is_not_mistaken_for_lost_ones(self, tmp_path: Path) -> None:
        path, left = tmp_path / "table.db", tmp_path / "crashed.db"
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.commit([b"record 1"], [b"message 1"])
            size = log_of(path).stat().st_size
            for pages in (40, 25, 12):
                with largest_file(size + pages * FRAME + 100), pytest.raises(JournalError):
                    journal.commit([b"x" * 4000] * 50)
            journal.commit([b"record 2"], [b"message 2"])
            crashed(left, path.read_bytes(), log_of(path).read_bytes())
        with SqliteJournal.open(left) as journal:
            assert (journal.record_head, journal.stream_head) == (2, 2)

    def test_a_log_cut_off_in_its_head_as_it_began_anew_has_lost_nothing(self, tmp_path: Path) -> None:
        """All of the log before had been moved into the file, or the log would not begin anew."""
        path, torn = tmp_path / "table.db", tmp_path / "torn.db"
        with of_five(path) as journal:
            unmoved = path.read_bytes()
            journal.checkpoint()
            moved, before = path.read_bytes(), log_of(path).read_bytes()
            journal.commit([b"record 6"], [b"message 6"])
            after = log_of(path).read_bytes()
        assert before[:32] != after[:32]
        kept = 0
        for cut in range(1, 32):
            head = after[:cut] + before[cut:32]
            if head in (before[:32], after[:32]):
                continue
            with SqliteJournal.open(crashed(torn, moved, head + before[32:])) as journal:
                assert (journal.record_head, journal.stream_head) == (5, 5)
            crashed(torn, unmoved, head + before[32:])
            with pytest.raises(JournalError, match="behind a bad one"):
                SqliteJournal.open(torn)
            log_of(torn).unlink()
            kept += 1
        assert kept > 5

    @pytest.mark.parametrize(
        ("begin", "end"),
        [
            (0, 32),
            (0, 4),
            (0, 512),
            (0, HEAD + 2 * FRAME),
            (16, 44),
            (24, 36),
            (24, 48),
            (24, 56),
            (40, 56),
            (0, 4200),
        ],
    )
    def test_a_log_whose_beginning_is_lost_is_damage_where_the_file_does_not_hold_it(
        self, tmp_path: Path, begin: int, end: int
    ) -> None:
        path, lost = tmp_path / "table.db", tmp_path / "lost.db"
        with of_five(path) as journal:
            unmoved, log = path.read_bytes(), bytearray(log_of(path).read_bytes())
            journal.checkpoint()
            moved = path.read_bytes()
        log[begin:end] = bytes(end - begin)
        assert [finding.code for finding in verify(crashed(lost, unmoved, log)).findings] == ["file"]
        with pytest.raises(JournalError, match="behind a bad one"):
            SqliteJournal.open(lost)
        if begin < 32 and (begin, end) != (24, 36):
            lost.write_bytes(moved)
            assert verify(lost).findings == []
            with SqliteJournal.open(lost) as journal:
                assert (journal.record_head, journal.stream_head) == (5, 5)

    def test_a_log_of_zeros_holds_nothing(self, path: Path) -> None:
        """As after a power cut just when it was made: its size was on the disk, and no byte of it."""
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.commit([b"r1"], [b"m1"])
        log_of(path).write_bytes(bytes(HEAD + 3 * FRAME))
        with SqliteJournal.open(path) as journal:
            assert journal.record_head == 1

    def test_what_was_under_way_is_said(self, tmp_path: Path) -> None:
        path, torn = tmp_path / "table.db", tmp_path / "torn.db"
        with SqliteJournal.create(path, epoch=EPOCH) as journal:
            journal.commit([b"r1"], [b"m1"])
            whole = log_of(path).stat().st_size
            journal.commit([b"r2" * 4000], [b"m2"])
            crashed(torn, path.read_bytes(), log_of(path).read_bytes()[: whole + FRAME + 100])
        with SqliteJournal.open(torn) as journal:
            assert journal.record_head == 1
            assert len(journal.notes) == 1
            assert "under way" in journal.notes[0]

    def test_a_clean_end_leaves_nothing_to_say(self, path: Path) -> None:
        filled(path, 3)
        with SqliteJournal.open(path) as journal:
            assert journal.notes == ()

    @pytest.mark.parametrize("what", [b"record 000005", b"message 000005"])
    def test_a_last_record_that_is_not_whole_is_cut_off_and_said(self, path: Path, what: bytes) -> None:
        filled(path, 5, consumer=4)
        path.write_bytes(path.read_bytes().replace(what, what.upper()))
        with SqliteJournal.open(path) as journal:
            assert (journal.record_head, journal.stream_head) == (4, 4)
            assert len(journal.notes) == 1
            assert "1 records were cut off after record 4" in journal.notes[0]
            journal.commit([b"new 5"], [b"new message 5"])
        assert verify(path).findings == []

    def test_what_a_consumer_has_acknowledged_is_never_cut_off(self, path: Path) -> None:
        filled(path, 5, consumer=5)
        path.write_bytes(path.read_bytes().replace(b"record 000005", b"RECORD 000005"))
        with pytest.raises(JournalError, match="settlement acknowledged messages above 4"):
            SqliteJournal.open(path)


class TestDamage:
    @pytest.mark.parametrize("what", [b"record 000003", b"message 000003", b"record 000001"])
    def test_in_the_middle_stops_the_table(self, path: Path, what: bytes) -> None:
        filled(path, 5)
        path.write_bytes(path.read_bytes().replace(what, what.upper()))
        with pytest.raises(JournalError, match="this is no torn tail"):
            SqliteJournal.open(path)

    @pytest.mark.parametrize(
        ("damage", "match"),
        [
            ("DELETE FROM messages WHERE sequence = 4", "message 4 .* missing"),
            ("DELETE FROM snapshots", "pruned"),
        ],
    )
    def test_where_the_start_could_not_begin_nothing_is_cut(
        self, path: Path, damage: str, match: str
    ) -> None:
        """The last record is whole, though the table cannot be told again up to it."""
        with SqliteJournal.create(path, epoch=EPOCH, clock_ms=lambda: CLOCK_SET_MS) as journal:
            journal.add_consumer("settlement")
            for number in range(1, 6):
                journal.commit([b"record"], [b"message"], snapshot=b"s" if number == 4 else None)
            journal.set_cursor("settlement", 3)
            journal.prune(CLOCK_SET_MS + 1)
        change(path, damage)
        with pytest.raises(JournalError, match=match):
            SqliteJournal.open(path)
        with SqliteReader.open(path) as left:
            assert (left.record_head, left.stream_head) == (5, 5)

    @pytest.mark.parametrize("page", [1, 2, 3])
    def test_a_torn_page_stops_the_table(self, path: Path, page: int) -> None:
        filled(path, 200)
        content = bytearray(path.read_bytes())
        content[page * 4096 : page * 4096 + 2048] = os.urandom(2048)
        path.write_bytes(content)
        with pytest.raises(JournalError, match=r"damaged|malformed|cannot"):
            SqliteJournal.open(path)

    @pytest.mark.parametrize("content", [b"", b"garbage" * 1000])
    def test_a_file_that_is_no_journal_is_not_touched(self, path: Path, content: bytes) -> None:
        path.write_bytes(content)
        with pytest.raises(JournalError):
            SqliteJournal.open(path)
        assert path.read_bytes() == content

    def test_reading_stops_at_the_first_record_that_does_not_fit(self, path: Path) -> None:
        filled(path, 5)
        path.write_bytes(path.read_bytes().replace(b"record 000003", b"RECORD 000003"))
        with SqliteReader.open(path) as reader:
            records = reader.records()
            assert [next(records).number, next(records).number] == [1, 2]
            with pytest.raises(JournalError, match="record 3 does not fit"):
                next(records)

    def test_a_journal_of_newer_software_is_left_alone(self, path: Path) -> None:
        filled(path, 1)
        change(path, f"PRAGMA user_version = {VERSION + 1}")
        for kind in (SqliteJournal, SqliteReader):
            with pytest.raises(JournalError, match="newer software"):
                kind.open(path)

    def test_a_journal_that_is_not_there_is_said_and_not_made(self, path: Path) -> None:
        for kind in (SqliteJournal, SqliteReader):
            with pytest.raises(JournalError, match="no journal at"):
                kind.open(path)
        assert list(path.parent.iterdir()) == []
