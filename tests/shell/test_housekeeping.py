"""Idle moments: old messages that everybody has are forgotten, younger ones and a busy table are left
alone.
"""

from __future__ import annotations

from pathlib import Path

from controller.journal.record import CLOCK_SET_MS
from controller.journal.sqlite import SqliteJournal
from controller.shell.housekeeping import (
    CHECKPOINT_EVERY_RECORDS,
    DAY_MS,
    PRUNE_EVERY_NS,
    Housekeeper,
)
from tests.harness.bench import Bench
from tests.outbox.sender import write

NOW_MS = CLOCK_SET_MS + 400 * DAY_MS


def aged(path: Path) -> SqliteJournal:
    """Three messages of long ago and two of today; a consumer has them all."""
    clock = [NOW_MS - 100 * DAY_MS]
    journal = SqliteJournal.create(path / "table.db", epoch=1, clock_ms=lambda: clock[0])
    journal.add_consumer("settlement")
    write(journal, 3)
    journal.commit([b"a round became final"], snapshot=b"the table then")
    clock[0] = NOW_MS
    write(journal, 2)
    journal.set_cursor("settlement", 5)
    return journal


def kept(journal: SqliteJournal) -> list[int]:
    return [message.sequence for message in journal.messages(0, 10)]


def test_messages_older_than_the_retention_go_in_an_idle_moment(tmp_path: Path) -> None:
    journal = aged(tmp_path)
    housekeeper = Housekeeper(journal, retention_days=30)
    housekeeper.look(0, NOW_MS, idle=False)
    assert kept(journal) == [1, 2, 3, 4, 5]
    housekeeper.look(0, NOW_MS, idle=True)
    assert kept(journal) == [4, 5]
    journal.close()


def test_within_the_retention_nothing_goes_and_records_never_do(tmp_path: Path) -> None:
    journal = aged(tmp_path)
    Housekeeper(journal, retention_days=200).look(0, NOW_MS, idle=True)
    assert kept(journal) == [1, 2, 3, 4, 5]
    Housekeeper(journal, retention_days=1).look(PRUNE_EVERY_NS, NOW_MS, idle=True)
    assert journal.record_head == 6
    assert len(list(journal.records())) == 6
    journal.close()


def test_what_a_consumer_has_not_acknowledged_stays_however_old(tmp_path: Path) -> None:
    journal = aged(tmp_path)
    journal.add_consumer("late")
    write(journal, 1)
    Housekeeper(journal, retention_days=0).look(0, NOW_MS + 1, idle=True)
    assert 6 in kept(journal)
    journal.close()


def test_the_log_of_a_busy_evening_stays_short_and_is_moved_between_rounds_only(tmp_path: Path) -> None:
    journal = SqliteJournal.create(tmp_path / "table.db", epoch=1)
    housekeeper = Housekeeper(journal, retention_days=30)
    housekeeper.look(0, NOW_MS, idle=True)

    def length() -> int:
        for _ in range(CHECKPOINT_EVERY_RECORDS):
            write(journal, 1)
        return (tmp_path / "table.db-wal").stat().st_size

    first = length()
    for _ in range(5):
        housekeeper.look(1, NOW_MS, idle=True)
        assert length() <= first * 1.2
    housekeeper.look(1, NOW_MS, idle=False)
    assert length() > first * 1.5
    journal.close()


def test_a_table_is_idle_where_no_round_runs_and_nothing_waits_on_its_queue() -> None:
    bench = Bench()
    bench.load()
    assert bench.loop.idle
    bench.type("OPEN")
    assert not bench.loop.idle
    bench.step()
    assert not bench.loop.idle
    bench.key("CLOSE")
    bench.deal("8S", "5C", "KC", "2D")
    bench.key("SETTLED")
    assert bench.loop.idle
    bench.key("BURN 2")
    assert not bench.loop.idle
    bench.card("7S")
    assert not bench.loop.idle
    bench.card("7H")
    assert bench.loop.idle
