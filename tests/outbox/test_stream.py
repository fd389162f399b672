"""Where consumers stand is written a moment after their word, where no commit came that wrote it along."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from controller.journal.reader import SqliteReader
from controller.journal.sqlite import SqliteJournal
from controller.outbox.outgoing import StreamMessage
from controller.outbox.publisher import LOOK_S
from controller.outbox.schedule import BROKER, Schedule
from controller.outbox.stream import FLUSH_AFTER_S, CursorFlush
from controller.vocabulary.errors import JournalError
from tests.harness.broker import Broker
from tests.harness.process import until
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import Sender, write

BEGIN_S = 1000.0
"""When a table here begins: long after its machine."""


class Disk(SqliteJournal):
    """Holds what was flushed; while it is full it takes no cursor."""

    def __init__(self, *made: Any) -> None:
        super().__init__(*made)
        self.kept: dict[str, int] = {}
        self.flushed = self.refused = 0
        self.full = False

    def flush(self) -> None:
        if self.full:
            self.refused += 1
            raise JournalError("the disk is full")
        super().flush()
        self.flushed += 1
        self.kept = self.cursors()


class Outbox:
    """Cursors over a journal; a consumer and the broker say what they have when a test says so."""

    def __init__(self, journal: SqliteJournal, name: str = "settlement") -> None:
        self.journal = journal
        self.name = name
        journal.add_consumer(name)
        write(journal, 20)
        self.schedule = Schedule(
            epoch=5, cursors=journal.cursors(), head=journal.stream_head, ack_timeout_s=30.0
        )
        self.cursors = CursorFlush(journal)

    def acknowledge(self, sequence: int, now_s: float) -> None:
        """The consumer has everything up to there."""
        self.schedule.advance(self.name, sequence, now_s)
        self.journal.set_cursor(self.name, sequence)

    def keep(self, now_s: float) -> float | None:
        """What the loop does when all else is done; when it is wanted again."""
        self.cursors.flush(now_s)
        return self.cursors.due_s


@pytest.fixture
def disk() -> Disk:
    return scratch_journal(Disk)


@pytest.fixture
def outbox(disk: Disk) -> Outbox:
    """A word came at ``BEGIN_S``, and is on the disk."""
    outbox = Outbox(disk)
    outbox.acknowledge(1, BEGIN_S)
    assert outbox.keep(BEGIN_S) == BEGIN_S + FLUSH_AFTER_S
    assert outbox.keep(BEGIN_S + FLUSH_AFTER_S) is None
    assert (disk.kept, disk.flushed) == ({"settlement": 1}, 1)
    return outbox


def test_where_nobody_says_a_word_nothing_is_written(disk: Disk) -> None:
    outbox = Outbox(disk)
    assert outbox.keep(BEGIN_S) is None
    assert disk.flushed == 0


@pytest.mark.parametrize("silence_s", [0.0, 60.0])
def test_a_word_is_on_the_disk_a_moment_after_it(outbox: Outbox, disk: Disk, silence_s: float) -> None:
    said_s = BEGIN_S + FLUSH_AFTER_S + silence_s
    outbox.acknowledge(2, said_s)
    due_s = said_s + FLUSH_AFTER_S
    assert outbox.keep(said_s) == due_s
    assert outbox.keep(due_s - 0.001) == due_s
    assert disk.kept == {"settlement": 1}
    assert outbox.keep(due_s) is None
    assert disk.kept == {"settlement": 2}


def test_what_many_say_in_a_moment_is_one_write(outbox: Outbox, disk: Disk) -> None:
    begin_s = BEGIN_S + 60
    for sequence in range(2, 12):
        outbox.acknowledge(sequence, begin_s + sequence / 1000)
        outbox.keep(begin_s + sequence / 1000)
    assert outbox.keep(begin_s + 0.002 + FLUSH_AFTER_S) is None
    assert (disk.kept, disk.flushed) == ({"settlement": 11}, 2)


def test_a_word_goes_with_the_next_commit_and_nothing_is_written_for_it(outbox: Outbox, disk: Disk) -> None:
    for card in range(2, 12):
        dealt_s = BEGIN_S + 60 + card * (FLUSH_AFTER_S - 2)
        write(disk, 1)
        outbox.acknowledge(card, dealt_s + 0.1)
        assert outbox.keep(dealt_s + 0.1) == dealt_s + 0.1 + FLUSH_AFTER_S
        outbox.keep(dealt_s + FLUSH_AFTER_S - 2)
    assert disk.flushed == 1
    with SqliteReader.open(disk.path) as reader:
        assert reader.cursors() == {"settlement": 10}
    assert outbox.keep(dealt_s + 0.1 + FLUSH_AFTER_S) is None
    assert disk.kept == {"settlement": 11}


def test_what_a_commit_wrote_wants_nothing_more(outbox: Outbox, disk: Disk) -> None:
    outbox.acknowledge(2, BEGIN_S + 60)
    outbox.keep(BEGIN_S + 60)
    write(disk, 1)
    assert outbox.keep(BEGIN_S + 60.1) is None
    assert disk.flushed == 1


def test_the_word_of_the_broker_is_kept_as_a_consumer_s(disk: Disk) -> None:
    outbox = Outbox(disk, BROKER)
    outbox.schedule.connect(20)
    first = outbox.schedule.next(BEGIN_S)
    assert isinstance(first, StreamMessage)
    outbox.schedule.sent(1, first, BEGIN_S)
    outbox.schedule.answered(1, BEGIN_S)
    disk.set_cursor(BROKER, outbox.schedule.release() or 0)
    outbox.keep(BEGIN_S)
    assert outbox.keep(BEGIN_S + FLUSH_AFTER_S) is None
    assert disk.kept == {BROKER: 1}


def test_what_the_disk_did_not_take_is_written_again_a_moment_later(outbox: Outbox, disk: Disk) -> None:
    outbox.acknowledge(2, BEGIN_S + 60)
    outbox.keep(BEGIN_S + 60)
    disk.full = True
    for refused in range(3):
        now_s = BEGIN_S + 60 + (1 + refused) * FLUSH_AFTER_S
        assert outbox.keep(now_s) == now_s + FLUSH_AFTER_S
        outbox.keep(now_s + FLUSH_AFTER_S / 2)
        assert (disk.refused, disk.kept) == (refused + 1, {"settlement": 1})
    disk.full = False
    assert outbox.keep(BEGIN_S + 60 + 4 * FLUSH_AFTER_S) is None
    assert disk.kept == {"settlement": 2}


def test_a_word_is_in_the_file_when_it_was_kept_and_not_before(tmp_path: Path) -> None:
    path = tmp_path / "table.db"
    with SqliteJournal.create(path, epoch=5) as journal, SqliteReader.open(path) as reader:
        outbox = Outbox(journal)
        outbox.acknowledge(1, BEGIN_S)
        outbox.keep(BEGIN_S)
        assert reader.cursors() == {"settlement": 0}
        outbox.keep(BEGIN_S + FLUSH_AFTER_S)
        assert reader.cursors() == {"settlement": 1}


def test_a_publisher_asks_again_of_a_full_disk_and_nothing_else_stops(broker: Broker, disk: Disk) -> None:
    with Sender(broker, journal=disk) as sender:
        sender.connect()

        def later(so: Callable[[], bool]) -> None:
            """Time passes until it is so."""

            def step() -> None:
                sender.ahead_s += FLUSH_AFTER_S / 10
                sender.step()

            until(so, lambda: (disk.refused, disk.kept), step)

        disk.full = True
        sender.write(1)
        later(lambda: disk.refused > 0)
        sender.ahead_s += FLUSH_AFTER_S - LOOK_S / 4 * 3
        now_s = sender.now_s()
        assert sender.publisher.due_s(now_s) < now_s + LOOK_S, "sooner than it would look by itself"
        for refused in range(1, 4):
            sender.write(1)
            later(lambda wanted=refused: disk.refused > wanted and disk.cursors() == {BROKER: wanted + 1})
        assert disk.kept == {}
        disk.full = False
        later(lambda: disk.kept == {BROKER: 4})
        assert "broker is said" not in sender.told
