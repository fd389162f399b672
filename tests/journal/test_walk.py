"""The whole record is walked: whatever of it was changed long ago is found, in a journal of any length."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from controller.journal.opening import SMALL_ROWS
from controller.journal.reader import SqliteReader
from controller.journal.record import CLOCK_SET_MS
from controller.journal.sqlite import SqliteJournal
from controller.journal.verify import verify
from controller.journal.walk import Walk
from controller.vocabulary.errors import JournalError
from tests.journal.disks import change
from tests.journal.long import CONSUMER, DAMAGES, FIRST_BAD, LONG, SMALL, append, forge, link, written

STEP = 32


def walked(reader: SqliteReader, most: int = STEP) -> int:
    """Walk to the end; in so many steps."""
    return to_end(Walk(reader, link), most)


def to_end(walk: Walk, most: int = STEP) -> int:
    """Walk on to the end; in so many steps."""
    steps = 0
    while not walk.done:
        walk.step(most)
        steps += 1
    return steps


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_small_journal_that_was_damaged_does_not_open_and_stays_as_it_is(path: Path, damage: str) -> None:
    written(path, SMALL)
    statements, said = DAMAGES[damage]
    change(path, *statements)
    before = path.read_bytes()
    with pytest.raises(JournalError, match="is damaged") as caught:
        SqliteJournal.open(path, link=link)
    assert said in caught.value.message or damage == "the epoch"
    assert path.read_bytes() == before
    assert verify(path, link=link).first_bad_record == FIRST_BAD.get(damage, 7)


@pytest.mark.parametrize("damage", sorted(DAMAGES.keys() - {"the epoch"}))
def test_a_long_journal_opens_and_the_walk_names_the_first_bad_record(path: Path, damage: str) -> None:
    written(path, LONG)
    statements, said = DAMAGES[damage]
    change(path, *statements)
    with SqliteJournal.open(path, link=link) as journal:
        walk = Walk(journal, link)
        for _ in range(2):  # it does not go past what it found
            with pytest.raises(JournalError) as caught:
                walk.step(STEP)
            assert said in caught.value.message
            assert not walk.done


def test_a_message_changed_with_its_hash_is_told_by_the_one_behind_it(path: Path) -> None:
    forge(written(path, SMALL), 7)
    with pytest.raises(JournalError, match="message 8 does not follow on message 7"):
        SqliteJournal.open(path, link=link)
    SqliteJournal.open(path).close()


@pytest.mark.parametrize("records", [0, 1, STEP - 1, STEP, STEP + 1, SMALL, LONG])
@pytest.mark.parametrize("snapshot", [True, False])
def test_a_healthy_journal_of_any_length_is_walked_to_its_end(
    path: Path, records: int, snapshot: bool
) -> None:
    written(path, records, snapshot=snapshot)
    with SqliteJournal.open(path, link=link) as journal:
        assert walked(journal) == -(-records // STEP)
        assert walked(journal, 1) == records


@pytest.mark.parametrize(("rows", "opens"), [(0, False), (1, True)])
def test_the_limit_counts_records_and_messages_that_are_kept(path: Path, rows: int, opens: bool) -> None:
    written(path, SMALL_ROWS // 2 + rows)
    change(path, "UPDATE records SET at_ms = at_ms + 1 WHERE number = 7")
    if opens:
        SqliteJournal.open(path).close()
        return
    with pytest.raises(JournalError, match="record 7"):
        SqliteJournal.open(path)


class TestPruned:
    @pytest.fixture
    def journal(self, path: Path) -> SqliteJournal:
        """A hundred records of long ago, a hundred of now."""
        clock = [CLOCK_SET_MS]
        journal = SqliteJournal.create(path, epoch=1_700_000_000_000, clock_ms=lambda: clock[0])
        journal.add_consumer(CONSUMER)
        append(journal, 100)
        clock[0] += 1000
        append(journal, 100, b"the table then")
        journal.set_cursor(CONSUMER, journal.stream_head)
        return journal

    def test_before_the_walk(self, journal: SqliteJournal, path: Path) -> None:
        assert journal.prune(CLOCK_SET_MS + 1) > 0
        assert walked(journal) == 7
        journal.close()
        SqliteJournal.open(path, link=link).close()

    @pytest.mark.parametrize("steps", range(8))
    def test_while_it_walks(self, journal: SqliteJournal, steps: int) -> None:
        walk = Walk(journal, link)
        for _ in range(steps):
            walk.step(STEP)
        assert journal.prune(CLOCK_SET_MS + 1) > 0
        to_end(walk)
        journal.close()

    def test_of_all_messages(self, journal: SqliteJournal, path: Path) -> None:
        journal.prune(CLOCK_SET_MS + 2000)
        assert journal.messages(0, 1) == []
        assert walked(journal) == 7
        journal.close()
        SqliteJournal.open(path, link=link).close()

    @pytest.mark.parametrize(
        ("statement", "said"),
        [
            ("UPDATE meta SET value = value - 1 WHERE name = 'pruned_sequence'", "is missing"),
            ("UPDATE meta SET value = value + 1 WHERE name = 'pruned_sequence'", "were pruned"),
            (
                f"UPDATE meta SET value = '{'0' * 64}' WHERE name = 'pruned_hash'",
                "does not follow on message",
            ),
        ],
    )
    def test_a_mark_that_was_changed_is_found(
        self, journal: SqliteJournal, path: Path, statement: str, said: str
    ) -> None:
        journal.prune(CLOCK_SET_MS + 1)
        journal.close()
        change(path, statement)
        with pytest.raises(JournalError, match=said):
            SqliteJournal.open(path, link=link)


class TestInUse:
    def test_what_is_appended_meanwhile_is_not_its_business(self, path: Path) -> None:
        written(path, 10 * STEP)
        with SqliteJournal.open(path, link=link) as journal:
            walk, steps = Walk(journal, link), 0
            while not walk.done:
                walk.step(STEP)
                append(journal, STEP, b"the table now")
                journal.checkpoint()
                steps += 1
            assert steps == 10
            assert walked(journal) == 20

    def test_no_statement_stays_open_between_two_steps(self, path: Path) -> None:
        """Else the log could not be moved into the file, and would grow."""
        written(path, 10 * STEP)
        with SqliteJournal.open(path, link=link) as journal:
            walk = Walk(journal, link)
            walk.step(STEP)
            append(journal, 1)
            (row,) = journal._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert row[0] == 0
            assert path.with_name("table.db-wal").stat().st_size == 0

    @pytest.mark.parametrize(("number", "found"), [(9 * STEP, True), (1, False)])
    def test_damage_ahead_is_found_now_and_damage_behind_by_the_next_walk(
        self, path: Path, number: int, found: bool
    ) -> None:
        written(path, 10 * STEP)
        with SqliteJournal.open(path, link=link) as journal:
            walk = Walk(journal, link)
            walk.step(STEP)
            change(path, f"UPDATE records SET at_ms = at_ms + 1 WHERE number = {number}")

            with pytest.raises(JournalError, match=f"record {number}") if found else nullcontext():
                to_end(walk)
            with pytest.raises(JournalError, match=f"record {number}"):
                walked(journal)

    def test_a_record_that_goes_at_the_end_is_missing(self, path: Path) -> None:
        written(path, SMALL)
        with SqliteJournal.open(path, link=link) as journal:
            walk = Walk(journal, link)
            change(path, f"DELETE FROM records WHERE number = {SMALL}")
            walk.step(STEP)
            with pytest.raises(JournalError, match=f"record {SMALL} is missing"):
                walk.step(STEP)
