"""Durable first, then it happens: nothing is answered, adopted or said before the commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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


def last_event(bench: Bench, back: int = 1) -> tuple[events.AnyEvent, events.Stamp]:
    record = list(bench.journal.records())[-back]
    return decode_event(record.body)


class TestCommitThenSpeak:
    def test_what_is_committed_is_answered_adopted_and_shown(self) -> None:
        bench = Bench()
        bench.load()
        assert bench.key("OPEN") == "OK"
        assert (bench.state.phase, bench.names()) == ("betting", ["shoe.started", "round.opened"])
        assert isinstance(last_event(bench)[0], events.BetsOpened)
        assert bench.shoe.commands == ["lock"]
        bench.key("CLOSE")
        assert bench.shoe.commands == ["lock", "unlock"]

    def test_while_the_disk_takes_nothing_nothing_is_answered_adopted_or_shown(self) -> None:
        journal = scratch_journal(FullDisk)
        bench = Bench(journal)
        bench.load()
        bench.key("OPEN")
        before, records, commands = bench.loop.table, journal.record_head, list(bench.shoe.commands)
        journal.full = True
        assert bench.key("CLOSE") is None
        assert bench.key("HOLD") is None
        assert bench.loop.table is before
        assert (journal.record_head, bench.shoe.commands[: len(commands)]) == (records, commands)
        assert "unlock" not in bench.shoe.commands
        assert bench.loop.counters.failed_commits > 0
        assert "disk is full" in bench.loop.counters.last_error

    def test_when_the_disk_takes_writes_again_all_that_waited_happens_in_order(self) -> None:
        journal = scratch_journal(FullDisk)
        bench = Bench(journal)
        bench.load()
        bench.key("OPEN")
        journal.full = True
        for line in ("CLOSE", "OPEN", "HOLD"):
            bench.type(line)
            bench.step()
        assert bench.panel.answers[2:] == []
        journal.full = False
        bench.step()
        # OPEN in the middle of the deal holds, so that HOLD comes too late.
        said = [type(answer).__name__ for answer in bench.panel.answers[2:]]
        assert said == ["Accepted", "Refused", "Refused"]
        assert bench.hold == "missing_card"
        table, _ = told_from_scratch(journal)
        assert table == bench.loop.table

    def test_a_failed_commit_is_not_taken_for_done_when_the_program_dies(self) -> None:
        journal = scratch_journal(FullDisk)
        bench = Bench(journal)
        bench.load()
        journal.full = True
        bench.key("OPEN")
        journal.full = False
        assert bench.again().state.phase == "idle"

    def test_a_card_is_acknowledged_after_the_commit_only(self) -> None:
        journal = scratch_journal(FullDisk)
        bench = Bench(journal)
        bench.load()
        bench.open()
        journal.full = True
        frame = bench.frame(b"D\x80\xb8")
        assert bench.hear(frame) == []
        assert bench.hear(frame) == []
        journal.full = False
        bench.step()
        assert bench.shoe.answers == [Accepted(), Accepted()]
        assert bench.names()[-1] == "round.card"
        assert bench.names().count("round.card") == 1


class TestRealDisk:
    @pytest.fixture
    def journal(self, tmp_path: Path) -> Iterator[SqliteJournal]:
        journal = SqliteJournal.create(tmp_path / "journal.db", epoch=5)
        yield journal
        journal.close()

    @contextmanager
    def full_disk(self, journal: SqliteJournal) -> Iterator[None]:
        """No file of this process may grow."""
        with largest_file(journal.path.with_name(journal.path.name + "-wal").stat().st_size):
            yield

    def test_a_full_disk_stops_the_table_and_loses_nothing(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        with self.full_disk(journal):
            assert bench.key("OPEN") is None
            assert bench.state.phase == "idle"
        bench.step()
        assert bench.panel.answers[-1] == Accepted()
        assert bench.state.phase == "betting"
        assert told_from_scratch(journal)[0] == bench.loop.table


class TestGroupCommit:
    def test_all_that_waits_is_one_transaction(self) -> None:
        bench = Bench()
        bench.load()
        commits = bench.loop.counters.commits
        for line in ("OPEN", "CLOSE", "HOLD"):
            bench.type(line)
        bench.step()
        assert bench.loop.counters.commits == commits + 1
        assert bench.panel.answers == [Accepted()] * 4
        assert len(bench.batches[-1].records) == 3

    def test_each_record_keeps_its_own_messages(self) -> None:
        bench = Bench()
        bench.load()
        first = bench.journal.record_head
        for line in ("OPEN", "CLOSE", "FOO"):
            bench.type(line)
        bench.step()
        said = [len(bench.journal.messages_of(first + place)) for place in (1, 2, 3)]
        assert said == [1, 1, 1]

    def test_what_nobody_waits_for_writes_nothing(self) -> None:
        bench = Bench()
        commits = bench.loop.counters.commits
        bench.pass_s(10)
        assert bench.loop.counters.commits == commits


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch, event: type[events.AnyEvent]) -> Iterator[None]:
    """Our bug: the handler of this event raises, and its message names a card."""

    def fail(turn: Turn, event: Any) -> None:
        turn.say(RoundOdds(round="half done"))
        raise ZeroDivisionError("the eight of spades lies face down")

    with monkeypatch.context() as patch:
        patch.setitem(HANDLERS, event, fail)
        yield


class TestOurOwnFailures:
    def test_an_event_that_cannot_be_handled_is_kept_and_holds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bench = Bench()
        bench.load()
        bench.key("OPEN")
        with failing(monkeypatch, events.BetsClosed):
            answer = bench.key("CLOSE")
        assert answer is not None
        assert answer.startswith("NO the controller failed")
        assert bench.hold == "fault"
        event, stamp = last_event(bench)
        assert isinstance(event, events.BetsClosed)
        assert stamp.fault == "ZeroDivisionError"
        assert bench.names()[-1] == "table.held"
        assert "eight of spades" not in str(bench.said())

    def test_the_supervisor_lets_it_be_tried_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bench = Bench()
        bench.load()
        bench.key("OPEN")
        with failing(monkeypatch, events.BetsClosed):
            bench.key("CLOSE")
        bench.key("KEY boss")
        assert bench.key("CLEAR continue") == "OK"
        assert (bench.hold, bench.state.phase) == (None, "dealing")
        assert told_from_scratch(bench.journal)[0] == bench.loop.table

    def test_a_faulted_event_holds_again_after_a_restart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bench = Bench()
        bench.load()
        bench.key("OPEN")
        with failing(monkeypatch, events.BetsClosed):
            bench.key("CLOSE")
        assert bench.again().hold == "fault"

    def test_the_others_of_the_same_transaction_are_untouched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        bench = Bench()
        bench.load()
        bench.key("OPEN")
        with failing(monkeypatch, events.BetsClosed):
            for line in ("KEY boss", "CLOSE", "NOKEY"):
                bench.type(line)
            bench.step()
        assert [type(answer).__name__ for answer in bench.panel.answers[-3:]] == [
            "Accepted",
            "Refused",
            "Accepted",
        ]
        assert len(bench.batches[-1].records) == 3

    def test_a_reading_of_the_shoe_that_cannot_be_taken_in_holds(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        bench = Bench()
        bench.load()
        bench.open()

        def fail(*_: object) -> None:
            raise ZeroDivisionError("8S")

        with monkeypatch.context() as patch:
            patch.setattr(taking, "reading_events", fail)
            assert bench.hear(bench.frame(b"D\x80\xb8")) == [Accepted()]
        assert bench.hold == "restart_doubt"
        assert "8S" not in str(bench.said())
        _, stamp = last_event(bench)
        assert stamp.raw is not None
        assert bytes.fromhex(stamp.raw)[2:5] == b"D\x80\xb8"
        # Its number was taken in: what follows is no gap.
        bench.key("KEY boss")
        bench.key("CLEAR continue")
        bench.card("5C", "player", 1)
        assert bench.hold is None


class TestWhatCannotBeRead:
    """An event that the next start could not read must not enter the record."""

    @pytest.mark.parametrize(
        ("line", "answer"),
        [
            ("BURN 416", "OK"),
            ("BURN 417", "NO a number or text is out of range"),
            ("BURN 99999", "NO a number or text is out of range"),
        ],
    )
    def test_a_number_out_of_range_is_refused(self, line: str, answer: str) -> None:
        bench = Bench()
        bench.load()
        assert bench.key(line) == answer
        assert bench.again().boot == 2

    @pytest.mark.parametrize("event", [*HANDLERS, events.DeviceReported])
    def test_no_field_of_an_event_hides_one_of_its_stamp(self, event: type[events.AnyEvent]) -> None:
        # Both stand in one flat object. These two mean the same in either.
        same = {"device", "boot"}
        assert set(event.__struct_fields__) & set(events.Stamp.__struct_fields__) <= same


def test_the_observer_sees_durable_batches_only() -> None:
    seen: list[int] = []
    journal = scratch_journal(FullDisk)
    bench = Bench(journal)
    observe: Callable[..., None] = lambda batch: seen.append(journal.record_head)  # noqa: E731
    bench.loop._observer = observe
    journal.full = True
    bench.key("SHOE 416")
    assert seen == []
    journal.full = False
    bench.step()
    assert seen == [journal.record_head]
