"""Durable first, then it happens: nothing is answered, adopted or said before the commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controller.journal.sqlite import SqliteJournal
from controller.round.turn import Turn
from controller.shell.intake import taking
from controller.table import HANDLERS
from controller.vocabulary import events
from controller.vocabulary.codec import decode_event
from controller.vocabulary.messages import RoundOdds
from drivers.ports import Accepted
from tests.harness.bench import Bench, FullDisk, told_from_scratch
from tests.journal.disks import largest_file
from tests.journal.scratch import scratch_journal


@pytest.fixture
def disk() -> FullDisk:
    return scratch_journal(FullDisk)


@pytest.fixture
def loaded(disk: FullDisk) -> Bench:
    """A table with a good shoe, on a disk that can be full."""
    made = Bench(disk)
    made.load()
    return made


def last_event(loaded: Bench, back: int = 1) -> tuple[events.AnyEvent, events.Stamp]:
    record = list(loaded.journal.records())[-back]
    return decode_event(record.body)


class TestCommitThenSpeak:
    def test_what_is_committed_is_answered_adopted_and_shown(self, loaded: Bench) -> None:
        assert loaded.key("OPEN") == "OK"
        assert (loaded.state.phase, loaded.names()) == ("betting", ["shoe.started", "round.opened"])
        assert isinstance(last_event(loaded)[0], events.BetsOpened)
        assert loaded.shoe.commands == ["lock"]
        loaded.key("CLOSE")
        assert loaded.shoe.commands == ["lock", "unlock"]

    def test_while_the_disk_takes_nothing_nothing_is_answered_adopted_or_shown(
        self, loaded: Bench, disk: FullDisk
    ) -> None:
        loaded.key("OPEN")
        before, records, commands = loaded.loop.table, disk.record_head, list(loaded.shoe.commands)
        disk.full = True
        assert loaded.key("CLOSE") is None
        assert loaded.key("HOLD") is None
        assert loaded.loop.table is before
        assert (disk.record_head, loaded.shoe.commands[: len(commands)]) == (records, commands)
        assert "unlock" not in loaded.shoe.commands
        assert loaded.loop.counters.failed_commits > 0
        assert "disk is full" in loaded.loop.counters.last_error

    def test_when_the_disk_takes_writes_again_all_that_waited_happens_in_order(
        self, loaded: Bench, disk: FullDisk
    ) -> None:
        loaded.key("OPEN")
        disk.full = True
        for line in ("CLOSE", "OPEN", "HOLD"):
            loaded.type(line)
            loaded.step()
        assert loaded.panel.answers[2:] == []
        disk.full = False
        loaded.step()
        # OPEN in the middle of the deal holds, so that HOLD comes too late.
        said = [type(answer).__name__ for answer in loaded.panel.answers[2:]]
        assert said == ["Accepted", "Refused", "Refused"]
        assert loaded.hold == "missing_card"
        table, _ = told_from_scratch(disk)
        assert table == loaded.loop.table

    def test_a_failed_commit_is_not_taken_for_done_when_the_program_dies(
        self, loaded: Bench, disk: FullDisk
    ) -> None:
        disk.full = True
        loaded.key("OPEN")
        disk.full = False
        assert loaded.again().state.phase == "idle"

    def test_a_card_is_acknowledged_after_the_commit_only(self, loaded: Bench, disk: FullDisk) -> None:
        loaded.open()
        disk.full = True
        frame = loaded.frame(b"D\x80\xb8")
        assert loaded.hear(frame) == []
        assert loaded.hear(frame) == []
        disk.full = False
        loaded.step()
        assert loaded.shoe.answers == [Accepted(), Accepted()]
        assert loaded.names()[-1] == "round.card"
        assert loaded.names().count("round.card") == 1


class TestRealDisk:
    def test_a_full_disk_stops_the_table_and_loses_nothing(self, tmp_path: Path) -> None:
        bench = Bench(SqliteJournal.create(tmp_path / "journal.db", epoch=5))
        bench.load()
        with largest_file((tmp_path / "journal.db-wal").stat().st_size):  # no file of this process may grow
            assert bench.key("OPEN") is None
            assert bench.state.phase == "idle"
        bench.step()
        assert bench.panel.answers[-1] == Accepted()
        assert bench.state.phase == "betting"
        assert told_from_scratch(bench.journal)[0] == bench.loop.table
        bench.journal.close()


class TestGroupCommit:
    def test_all_that_waits_is_one_transaction(self, loaded: Bench) -> None:
        commits = loaded.loop.counters.commits
        for line in ("OPEN", "CLOSE", "HOLD"):
            loaded.type(line)
        loaded.step()
        assert loaded.loop.counters.commits == commits + 1
        assert loaded.panel.answers == [Accepted()] * 4
        assert len(loaded.batches[-1].records) == 3

    def test_each_record_keeps_its_own_messages(self, loaded: Bench) -> None:
        first = loaded.journal.record_head
        for line in ("OPEN", "CLOSE", "FOO"):
            loaded.type(line)
        loaded.step()
        said = [len(loaded.journal.messages_of(first + place)) for place in (1, 2, 3)]
        assert said == [1, 1, 1]

    def test_what_nobody_waits_for_writes_nothing(self) -> None:
        bench = Bench()
        commits = bench.loop.counters.commits
        bench.pass_s(10)
        assert bench.loop.counters.commits == commits


@contextmanager
def failing(event: type[events.Event]) -> Iterator[None]:
    """Our bug: the handler of this event raises, and its message names a card."""

    def fail(turn: Turn, event: Any) -> None:
        turn.say(RoundOdds(round="half done"))
        raise ZeroDivisionError("the eight of spades lies face down")

    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(HANDLERS, event, fail)
        yield


class TestOurOwnFailures:
    def test_an_event_that_cannot_be_handled_is_kept_and_holds(self, loaded: Bench) -> None:
        loaded.key("OPEN")
        with failing(events.BetsClosed):
            answer = loaded.key("CLOSE")
        assert answer is not None
        assert answer.startswith("NO the controller failed")
        assert loaded.hold == "fault"
        event, stamp = last_event(loaded)
        assert isinstance(event, events.BetsClosed)
        assert stamp.fault == "ZeroDivisionError"
        assert loaded.names()[-1] == "table.held"
        assert "eight of spades" not in str(loaded.said())

    def test_the_supervisor_lets_it_be_tried_again(self, loaded: Bench) -> None:
        loaded.key("OPEN")
        with failing(events.BetsClosed):
            loaded.key("CLOSE")
        loaded.key("KEY boss")
        assert loaded.key("CLEAR continue") == "OK"
        assert (loaded.hold, loaded.state.phase) == (None, "dealing")
        assert told_from_scratch(loaded.journal)[0] == loaded.loop.table

    def test_a_faulted_event_holds_again_after_a_restart(self, loaded: Bench) -> None:
        loaded.key("OPEN")
        with failing(events.BetsClosed):
            loaded.key("CLOSE")
        assert loaded.again().hold == "fault"

    def test_the_others_of_the_same_transaction_are_untouched(self, loaded: Bench) -> None:
        loaded.key("OPEN")
        with failing(events.BetsClosed):
            for line in ("KEY boss", "CLOSE", "NOKEY"):
                loaded.type(line)
            loaded.step()
        said = [type(answer).__name__ for answer in loaded.panel.answers[-3:]]
        assert said == ["Accepted", "Refused", "Accepted"]
        assert len(loaded.batches[-1].records) == 3

    def test_a_reading_of_the_shoe_that_cannot_be_taken_in_holds(self, loaded: Bench) -> None:
        loaded.open()

        def fail(*_: object) -> None:
            raise ZeroDivisionError("8S")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(taking, "reading_events", fail)
            assert loaded.hear(loaded.frame(b"D\x80\xb8")) == [Accepted()]
        assert loaded.hold == "restart_doubt"
        assert "8S" not in str(loaded.said())
        _, stamp = last_event(loaded)
        assert stamp.raw is not None
        assert bytes.fromhex(stamp.raw)[2:5] == b"D\x80\xb8"
        # Its number was taken in: what follows is no gap.
        loaded.key("KEY boss")
        loaded.key("CLEAR continue")
        loaded.card("5C", "player", 1)
        assert loaded.hold is None


class TestWhatCannotBeRead:
    """An event that the next start could not read must not enter the record."""

    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            ("BURN 416", "OK"),
            ("BURN 417", "NO BURN: <n> must be a whole number from 1 to 416"),
            ("BURN 99999", "NO BURN: <n> must be a whole number from 1 to 416"),
        ],
    )
    def test_a_number_out_of_range_is_refused(self, loaded: Bench, line: str, answer: str) -> None:
        assert loaded.key(line) == answer
        assert loaded.again().boot == 2

    @pytest.mark.parametrize("event", [*HANDLERS, events.DeviceReported])
    def test_no_field_of_an_event_hides_one_of_its_stamp(self, event: type[events.AnyEvent]) -> None:
        # Both stand in one flat object. These two mean the same in either.
        same = {"device", "boot"}
        assert set(event.__struct_fields__) & set(events.Stamp.__struct_fields__) <= same


def test_the_observer_sees_durable_batches_only(disk: FullDisk) -> None:
    seen: list[int] = []
    bench = Bench(disk)
    bench.loop._observer = lambda batch: seen.append(disk.record_head)
    disk.full = True
    bench.key("SHOE 416")
    assert seen == []
    disk.full = False
    bench.step()
    assert seen == [disk.record_head]
