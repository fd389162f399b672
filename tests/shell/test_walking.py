"""The old record is walked while the table is at work: damage stops the next round, and nothing waits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal import opening
from controller.journal.sqlite import SqliteJournal
from controller.journal.walk import Walk
from controller.shell.place import link
from controller.shell.walking import (
    AGAIN_NS,
    BUSY_EVERY_NS,
    BUSY_NS,
    IDLE_EVERY_NS,
    IDLE_NS,
    ROWS,
    WALK_EVERY_NS,
    JournalWatch,
)
from controller.shell.wiring.assembly import open_journal
from controller.vocabulary.conditions import Condition
from controller.vocabulary.errors import JournalError
from tests.harness.bench import Bench, StoppedClock
from tests.journal import long
from tests.journal.disks import change
from tests.shell.watched import Watched, word

RECORDS = 40 * ROWS
STEP_NS = 1_000_000
"""So long a step takes on this floor."""
BAD = "UPDATE records SET at_ms = at_ms + 1 WHERE number = 7"
GOOD = "UPDATE records SET at_ms = at_ms - 1 WHERE number = 7"


class CountedWalk(Walk):
    """Takes its time, and counts."""

    floor: Floor

    def step(self, most: int) -> None:
        self.floor.now_ns += STEP_NS
        self.floor.steps += 1
        super().step(most)


class Floor:
    """A walker over a real journal; time passes when a test says so."""

    def __init__(self, path: Path, held: dict[str, Condition] | None = None) -> None:
        self.path = path
        self.journal = SqliteJournal.open(path)
        self.now_ns = self.steps = self.walks = 0
        watch = JournalWatch(self.journal, self.begin, lambda: self.now_ns)
        self.watched = Watched(watch.look, held=held)
        self.told = self.watched.changes

    def begin(self) -> Walk:
        self.walks += 1
        walk = CountedWalk(self.journal, long.link)
        walk.floor = self
        return walk

    def look(self, *, idle: bool = True, after_ns: int = IDLE_EVERY_NS) -> list[str]:
        """Look once, so much later; what was told."""
        self.now_ns += after_ns
        return self.watched.look(self.now_ns, idle=idle)

    def whole(self) -> list[str]:
        """Look often enough for a whole walk."""
        looks = 2 + RECORDS // ROWS
        return [said for _ in range(looks) for said in self.look()]


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    floor = Floor(long.written(tmp_path / "table.db", RECORDS))
    yield floor
    floor.journal.close()


def test_a_healthy_journal_raises_nothing_and_is_walked_once_a_day(floor: Floor) -> None:
    assert floor.whole() == []
    assert (floor.walks, floor.steps) == (1, RECORDS // ROWS)
    assert floor.whole() == []
    assert floor.walks == 1
    floor.now_ns += WALK_EVERY_NS
    assert floor.whole() == []
    assert (floor.walks, floor.steps) == (2, 2 * RECORDS // ROWS)


def test_the_first_look_stands_before_the_start_is_through_and_walks_nothing(floor: Floor) -> None:
    floor.look()
    assert (floor.walks, floor.steps) == (0, 0)


@pytest.mark.parametrize(
    ("idle", "every_ns", "slice_ns"), [(True, IDLE_EVERY_NS, IDLE_NS), (False, BUSY_EVERY_NS, BUSY_NS)]
)
def test_a_slice_is_short_and_two_stand_apart(floor: Floor, idle: bool, every_ns: int, slice_ns: int) -> None:
    floor.look(idle=idle)
    floor.look(idle=idle, after_ns=every_ns - 1)
    assert floor.steps == 0
    floor.look(idle=idle, after_ns=1)
    assert floor.steps == slice_ns // STEP_NS
    floor.look(idle=idle, after_ns=every_ns - 1)
    assert floor.steps == slice_ns // STEP_NS


def test_it_ends_also_at_a_table_that_is_never_idle(floor: Floor) -> None:
    floor.look(idle=False)
    for _ in range(1 + RECORDS // ROWS):
        floor.look(idle=False, after_ns=BUSY_EVERY_NS)
    change(floor.path, BAD)
    floor.look(idle=False, after_ns=WALK_EVERY_NS)
    assert (floor.walks, floor.steps) == (2, 1 + RECORDS // ROWS)
    assert [word(change) for change in floor.told] == ["journal_damaged stops"]


@pytest.mark.parametrize("damage", sorted(long.DAMAGES.keys() - {"the epoch"}))
def test_damage_stops_the_next_round_and_is_said_once(floor: Floor, damage: str) -> None:
    statements, said = long.DAMAGES[damage]
    change(floor.path, *statements)
    assert floor.whole() == ["journal_damaged stops"]
    assert said in floor.told[0].message
    assert "dealer-table verify" in floor.told[0].message
    steps = floor.steps
    assert floor.look(after_ns=AGAIN_NS) == []
    assert floor.steps == steps + 1


def test_what_could_be_read_again_is_over_when_the_walk_has_come_through(floor: Floor) -> None:
    change(floor.path, BAD)
    floor.whole()
    change(floor.path, GOOD)
    floor.told.clear()
    floor.now_ns += AGAIN_NS
    assert floor.look() == []
    assert floor.whole() == ["journal_damaged is over"]


def test_damage_of_a_later_day_is_found(floor: Floor) -> None:
    floor.whole()
    change(floor.path, BAD)
    assert floor.whole() == []
    floor.now_ns += WALK_EVERY_NS
    assert floor.whole() == ["journal_damaged stops"]


@pytest.mark.parametrize(
    ("statement", "told"), [(BAD, []), (GOOD, ["journal_damaged is over"])], ids=["still so", "mended"]
)
def test_after_a_restart_it_is_found_again_or_over(tmp_path: Path, statement: str, told: list[str]) -> None:
    path = long.written(tmp_path / "table.db", long.LONG)
    change(path, BAD)
    before = Floor(path)
    before.whole()
    before.journal.close()
    if statement == GOOD:
        change(path, GOOD)
    after = Floor(path, before.watched.held)
    assert [*after.whole(), *after.whole(), *after.whole()] == told
    after.journal.close()


def test_a_changed_snapshot_is_said_stops_nothing_and_is_over_with_the_next_ones(floor: Floor) -> None:
    change(floor.path, "UPDATE snapshots SET body = x'00'")
    assert floor.whole() == ["snapshot_damaged is said"]
    for _ in range(2):
        long.append(floor.journal, 1, b"the table now")
    assert floor.look() == []
    assert floor.look(after_ns=AGAIN_NS) == ["snapshot_damaged is over"]


def test_it_goes_on_while_records_come_in(floor: Floor) -> None:
    told = [*floor.look(), *floor.look()]
    for _ in range(RECORDS // ROWS):
        told += floor.look()
        long.append(floor.journal, 5, b"the table now")
        floor.journal.checkpoint()
    assert told == []
    assert (floor.walks, floor.steps) == (1, RECORDS // ROWS)


def played(path: Path) -> tuple[SqliteJournal, Bench]:
    """A table that has played two rounds; the start goes on from the snapshot behind the first."""
    journal = SqliteJournal.create(path, epoch=5)
    clock = StoppedClock()
    bench = Bench(journal, clock=clock, watchers=[watch_of(journal, clock).look])
    bench.load()
    bench.play()
    bench.play()
    assert journal.snapshot() is not None
    return journal, bench


def watch_of(journal: SqliteJournal, clock: StoppedClock) -> JournalWatch:
    """The watch of a table that is at work."""
    return JournalWatch(journal, lambda: Walk(journal, link), clock.monotonic_ns)


def test_the_running_round_ends_no_further_one_opens_and_a_restart_finds_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "table.db"
    journal, bench = played(path)
    bench.open()
    change(path, BAD)
    bench.pass_s(2)
    bench.deal("8S", "5C", "KC", "2D")
    assert bench.key("SETTLED") == "OK", "the running round is played to its end"
    refused = bench.key("OPEN") or ""
    assert refused.startswith("NO the journal is damaged: record 7 does not fit its hash")
    assert [alert.code for alert in bench.state.alerts if alert.code == "journal_damaged"]
    journal.close()
    with pytest.raises(JournalError, match="record 7"):
        SqliteJournal.open(path, link=link)
    monkeypatch.setattr(opening, "SMALL_ROWS", 0)
    journal = SqliteJournal.open(path, link=link)
    again = Bench(journal, clock=bench.clock, watchers=[watch_of(journal, bench.clock).look])
    assert again.key("OPEN") == refused, "before the walk has come so far"
    again.pass_s(2)
    assert again.key("OPEN") == refused
    change(path, GOOD)
    again.pass_s(60)
    assert again.key("OPEN") == "OK"
    journal.close()


def test_what_was_mended_at_the_opening_stands_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "table.db"
    journal, _ = played(path)
    last = journal.record_head
    journal.close()
    change(path, f"UPDATE records SET body = x'00' WHERE number = {last}")
    open_journal(path).close()
    assert f"1 records were cut off after record {last - 1}" in caplog.text
