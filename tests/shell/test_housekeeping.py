"""Idle moments: old messages that everybody has are forgotten, younger ones and a busy table are left
alone.
"""

from __future__ import annotations

import pytest

from controller.journal.files import beside
from controller.journal.record import CLOCK_SET_MS
from controller.journal.sqlite import SqliteJournal
from controller.shell.housekeeping import (
    CHECKPOINT_EVERY_RECORDS,
    DAY_MS,
    PRUNE_EVERY_NS,
    Housekeeper,
)
from tests.harness.bench import Bench
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write

NOW_MS = CLOCK_SET_MS + 400 * DAY_MS


@pytest.fixture
def aged() -> SqliteJournal:
    """Three messages of long ago and two of today; a consumer has them all."""
    clock = [NOW_MS - 100 * DAY_MS]
    journal = scratch_journal(clock_ms=lambda: clock[0])
    journal.add_consumer("settlement")
    write(journal, 3)
    journal.commit([b"a round became final"], snapshot=b"the table then")
    clock[0] = NOW_MS
    write(journal, 2)
    journal.set_cursor("settlement", 5)
    return journal


def kept(journal: SqliteJournal) -> list[int]:
    return [message.sequence for message in journal.messages(0, 10)]


def test_messages_older_than_the_retention_go_in_an_idle_moment(aged: SqliteJournal) -> None:
    housekeeper = Housekeeper(aged, retention_days=30)
    housekeeper.look(0, NOW_MS, idle=False)
    assert kept(aged) == [1, 2, 3, 4, 5]
    housekeeper.look(0, NOW_MS, idle=True)
    assert kept(aged) == [4, 5]


def test_within_the_retention_nothing_goes_and_records_never_do(aged: SqliteJournal) -> None:
    Housekeeper(aged, retention_days=200).look(0, NOW_MS, idle=True)
    assert kept(aged) == [1, 2, 3, 4, 5]
    Housekeeper(aged, retention_days=1).look(PRUNE_EVERY_NS, NOW_MS, idle=True)
    assert aged.record_head == 6
    assert len(list(aged.records())) == 6


def test_what_a_consumer_has_not_acknowledged_stays_however_old(aged: SqliteJournal) -> None:
    aged.add_consumer("late")
    write(aged, 1)
    Housekeeper(aged, retention_days=0).look(0, NOW_MS + 1, idle=True)
    assert 6 in kept(aged)


def test_the_log_of_a_busy_evening_stays_short_and_is_moved_between_rounds_only() -> None:
    journal = scratch_journal()
    housekeeper = Housekeeper(journal, retention_days=30)
    housekeeper.look(0, NOW_MS, idle=True)

    def length() -> int:
        for _ in range(CHECKPOINT_EVERY_RECORDS):
            write(journal, 1)
        return beside(journal.path, "-wal").stat().st_size

    first = length()
    for _ in range(5):
        housekeeper.look(1, NOW_MS, idle=True)
        assert length() <= first * 1.2
    housekeeper.look(1, NOW_MS, idle=False)
    assert length() > first * 1.5


def test_a_table_is_idle_where_no_round_runs_and_nothing_waits_on_its_queue(loaded: Bench) -> None:
    assert loaded.loop.idle
    loaded.type("OPEN")
    assert not loaded.loop.idle
    loaded.step()
    assert not loaded.loop.idle
    loaded.key("CLOSE")
    loaded.deal("8S", "5C", "KC", "2D")
    loaded.key("SETTLED")
    assert loaded.loop.idle
    loaded.key("BURN 2")
    assert not loaded.loop.idle
    loaded.card("7S")
    assert not loaded.loop.idle
    loaded.card("7H")
    assert loaded.loop.idle
