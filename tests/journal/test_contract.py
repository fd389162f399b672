"""What a journal keeps to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.journal.record import CLOCK_SET_MS, ZERO_HASH
from controller.journal.sqlite import CursorError, SqliteJournal
from controller.vocabulary.errors import JournalError
from tests.journal.scratch import scratch_journal

EPOCH = 1_700_000_000_000


class Clock:
    """Wall time that a test sets."""

    def __init__(self) -> None:
        self.now_ms = CLOCK_SET_MS + 1

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(clock: Clock) -> Iterator[SqliteJournal]:
    opened = scratch_journal(epoch=EPOCH, clock_ms=clock)
    yield opened
    opened.close()


def digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def test_a_new_journal_is_empty_and_says_its_epoch(journal: SqliteJournal) -> None:
    assert journal.epoch == EPOCH
    assert (journal.record_head, journal.stream_head, journal.stream_hash) == (0, 0, ZERO_HASH)
    assert list(journal.records()) == []
    assert journal.messages(0, 10) == []
    assert journal.snapshot() is None
    assert journal.cursors() == {}


def test_numbers_and_sequences_go_on_by_themselves(journal: SqliteJournal) -> None:
    journal.commit([b"r1", b"r2"], [b"m1"])
    journal.commit([b"r3"], [b"m2", b"m3"])
    assert [(r.number, r.body, r.stream) for r in journal.records()] == [
        (1, b"r1", 0),
        (2, b"r2", 1),
        (3, b"r3", 3),
    ]
    assert [(m.sequence, m.body, m.hash) for m in journal.messages(0, 10)] == [
        (1, b"m1", digest(b"m1")),
        (2, b"m2", digest(b"m2")),
        (3, b"m3", digest(b"m3")),
    ]
    assert (journal.record_head, journal.stream_head, journal.stream_hash) == (3, 3, digest(b"m3"))


def test_a_group_commit_shares_messages_among_records(journal: SqliteJournal) -> None:
    journal.commit([b"r1", b"r2", b"r3"], [b"m1", b"m2", b"m3"], counts=[2, 0, 1])
    assert [journal.messages_of(number) for number in (1, 2, 3)] == [[b"m1", b"m2"], [], [b"m3"]]


@pytest.mark.parametrize(
    ("records", "messages", "counts"),
    [
        ([], [b"m"], None),
        ([b"r"], [b"m"], [2]),
        ([b"r"], [b"m"], []),
        ([b"r", b"s"], [b"m"], [1]),
        ([b"r", b"s"], [b"m"], [2, -1]),
    ],
)
def test_counts_that_do_not_fit_change_nothing(
    journal: SqliteJournal, records: list[bytes], messages: list[bytes], counts: list[int] | None
) -> None:
    with pytest.raises(ValueError, match="record"):
        journal.commit(records, messages, counts=counts)
    assert (journal.record_head, journal.stream_head) == (0, 0)


def test_an_empty_commit_changes_nothing(journal: SqliteJournal) -> None:
    journal.commit([])
    assert (journal.record_head, journal.stream_head) == (0, 0)


def test_reading_starts_after_the_number_and_ends_at_the_limit(journal: SqliteJournal) -> None:
    journal.commit([b"r%d" % n for n in range(1, 6)], [b"m%d" % n for n in range(1, 6)])
    assert [r.number for r in journal.records(3)] == [4, 5]
    assert [m.sequence for m in journal.messages(1, 2)] == [2, 3]
    assert journal.messages(5, 2) == []


def test_the_stream_head_is_known_as_it_stood_after_any_record(journal: SqliteJournal) -> None:
    journal.commit([b"r1", b"r2"], [b"m1", b"m2"], counts=[2, 0])
    journal.commit([b"r3"], [b"m3"])
    marks = [journal.stream_at(number) for number in range(4)]
    assert [(mark.sequence, mark.hash) for mark in marks] == [
        (0, ZERO_HASH),
        (2, digest(b"m2")),
        (2, digest(b"m2")),
        (3, digest(b"m3")),
    ]


def test_a_record_that_never_was_is_an_error(journal: SqliteJournal) -> None:
    journal.commit([b"r1"], [b"m1"])
    for number in (-1, 2):
        with pytest.raises(JournalError, match="no record"):
            journal.stream_at(number)
    with pytest.raises(JournalError, match="no record"):
        journal.messages_of(0)


def test_the_newest_snapshot_is_found_with_the_record_it_stands_after(journal: SqliteJournal) -> None:
    journal.commit([b"r1"], snapshot=b"one")
    journal.commit([b"r2", b"r3"], snapshot=b"three")
    journal.commit([b"r4"])
    assert journal.snapshot() == (3, b"three")
    journal.commit([], snapshot=b"four")
    assert journal.snapshot() == (4, b"four")
    journal.commit([], snapshot=b"four again")
    assert journal.snapshot() == (4, b"four again")


def test_time_is_a_label_that_never_goes_back(journal: SqliteJournal, clock: Clock) -> None:
    journal.commit([b"r1"])
    clock.now_ms -= 3_600_000
    journal.commit([b"r2"])
    clock.now_ms = -5
    journal.commit([b"r3"])
    assert [r.at_ms for r in journal.records()] == [CLOCK_SET_MS + 1] * 3


def test_a_consumer_starts_at_the_head_when_it_is_first_named(journal: SqliteJournal) -> None:
    journal.add_consumer("settlement")
    journal.commit([b"r1"], [b"m1", b"m2"])
    journal.add_consumer("archive")
    journal.add_consumer("settlement")
    assert journal.cursors() == {"archive": 2, "settlement": 0}


def test_a_cursor_moves_forwards_only_and_never_beyond_the_head(journal: SqliteJournal) -> None:
    journal.add_consumer("settlement")
    journal.commit([b"r1"], [b"m1", b"m2"])
    journal.set_cursor("settlement", 1)
    journal.set_cursor("settlement", 1)
    with pytest.raises(CursorError, match="stream ends at 2"):
        journal.set_cursor("settlement", 3)
    with pytest.raises(CursorError, match="never goes back"):
        journal.set_cursor("settlement", 0)
    with pytest.raises(CursorError, match="not named"):
        journal.set_cursor("nobody", 1)
    assert journal.cursors() == {"settlement": 1}


def test_a_retired_consumer_holds_nothing_and_starts_anew_when_named_again(journal: SqliteJournal) -> None:
    journal.add_consumer("settlement")
    journal.commit([b"r1"], [b"m1"])
    journal.retire_consumer("settlement")
    assert journal.cursors() == {}
    with pytest.raises(CursorError):
        journal.retire_consumer("settlement")
    journal.add_consumer("settlement")
    assert journal.cursors() == {"settlement": 1}


class TestPruning:
    @pytest.fixture(autouse=True)
    def named(self, journal: SqliteJournal) -> None:
        journal.add_consumer("settlement")

    def test_takes_what_is_old_delivered_and_behind_a_snapshot(
        self, journal: SqliteJournal, clock: Clock
    ) -> None:
        for number in range(1, 5):
            journal.commit([b"r%d" % number], [b"m%d" % number], snapshot=b"s" if number == 3 else None)
            clock.now_ms += 1000
        journal.set_cursor("settlement", 4)
        assert journal.prune(clock.now_ms + 1) == 3
        assert [m.sequence for m in journal.messages(0, 10)] == [4]
        assert journal.stream_at(3).sequence == 3
        assert journal.stream_at(3).hash == digest(b"m3")
        assert [r.number for r in journal.records()] == [1, 2, 3, 4]
        for of_pruned in (journal.messages_of, journal.stream_at):
            with pytest.raises(JournalError, match="pruned"):
                of_pruned(2)
        assert journal.messages_of(4) == [b"m4"]
        assert journal.prune(clock.now_ms + 1) == 0

    def test_goes_on_numbering_when_everything_went(self, journal: SqliteJournal, clock: Clock) -> None:
        journal.commit([b"r1"], [b"m1"], snapshot=b"s")
        journal.set_cursor("settlement", 1)
        assert journal.prune(clock.now_ms + 1) == 1
        assert (journal.stream_head, journal.stream_hash) == (1, digest(b"m1"))
        journal.commit([b"r2"], [b"m2"])
        assert [m.sequence for m in journal.messages(0, 10)] == [2]
        assert journal.messages_of(2) == [b"m2"]

    @pytest.mark.parametrize("cursor", [0, 1])
    def test_keeps_what_a_consumer_has_not(self, journal: SqliteJournal, clock: Clock, cursor: int) -> None:
        journal.add_consumer("slow")
        journal.commit([b"r1"], [b"m1", b"m2"], snapshot=b"s")
        journal.set_cursor("settlement", 2)
        journal.set_cursor("slow", cursor)
        assert journal.prune(clock.now_ms + 1) == cursor

    def test_keeps_what_is_young(self, journal: SqliteJournal, clock: Clock) -> None:
        journal.commit([b"r1"], [b"m1"], snapshot=b"s")
        journal.set_cursor("settlement", 1)
        assert journal.prune(clock.now_ms) == 0

    def test_keeps_everything_without_a_consumer_or_a_snapshot(
        self, journal: SqliteJournal, clock: Clock
    ) -> None:
        journal.retire_consumer("settlement")
        journal.commit([b"r1"], [b"m1"], snapshot=b"s")
        assert journal.prune(clock.now_ms + 1) == 0
        journal.add_consumer("settlement")
        journal.commit([b"r2"], [b"m2"])
        journal.set_cursor("settlement", 2)
        assert journal.prune(clock.now_ms + 1) == 1

    def test_a_time_from_before_the_clock_was_set_is_no_age(
        self, journal: SqliteJournal, clock: Clock
    ) -> None:
        clock.now_ms = 60_000
        journal.commit([b"r1"], [b"m1"], snapshot=b"s")
        journal.set_cursor("settlement", 1)
        assert journal.prune(CLOCK_SET_MS + 1_000_000) == 0
        clock.now_ms = CLOCK_SET_MS + 5
        journal.commit([b"r2"], [b"m2"], snapshot=b"s")
        journal.set_cursor("settlement", 2)
        assert journal.prune(CLOCK_SET_MS + 5) == 0
        assert journal.prune(CLOCK_SET_MS + 6) == 2


_COMMITS = st.lists(
    st.lists(st.tuples(st.binary(max_size=20), st.lists(st.binary(max_size=20), max_size=3)), max_size=4),
    max_size=6,
)


@given(commits=_COMMITS)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_commits_read_back_the_same_after_a_restart(
    tmp_path_factory: pytest.TempPathFactory, commits: list[list[tuple[bytes, list[bytes]]]]
) -> None:
    path = tmp_path_factory.mktemp("journal") / "table.db"
    with SqliteJournal.create(path, epoch=EPOCH) as journal:
        for group in commits:
            journal.commit(
                [body for body, _ in group],
                [message for _, messages in group for message in messages],
                counts=[len(messages) for _, messages in group],
            )
        before = list(journal.records())
    records = [record for group in commits for record in group]
    with SqliteJournal.open(path) as again:
        assert again.notes == ()
        assert list(again.records()) == before
        assert [(record.body, again.messages_of(record.number)) for record in before] == records
        stream = [message for _, messages in records for message in messages]
        assert [message.body for message in again.messages(0, 1000)] == stream
        assert again.stream_head == len(stream)
        assert again.stream_hash == (digest(stream[-1]) if stream else ZERO_HASH)
