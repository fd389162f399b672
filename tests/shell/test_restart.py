"""A restart folds the journal through the same door, and trusts nothing that does not agree."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator
from typing import Any

import pytest

from controller.journal.sqlite import SqliteJournal
from controller.round.turn import dealt, game_of
from controller.shell.restart import fold
from controller.table import HANDLERS
from controller.vocabulary import events
from controller.vocabulary.conditions import ACK, BROKER, LISTENERS, OTHER_UNIT, PUBLISH_DENIED, WITNESS
from controller.vocabulary.errors import JournalError
from controller.vocabulary.messages import RoundOdds
from tests.harness.bench import DIGEST, Bench, configured, told_from_scratch
from tests.journal.scratch import scratch_journal


@pytest.fixture
def journal() -> Iterator[SqliteJournal]:
    made = scratch_journal()
    yield made
    made.close()


def deal(bench: Bench, chance: random.Random) -> None:
    """A round of whatever cards, to the hands that the rules give them to."""
    bench.open()
    while bench.state.phase == "dealing":
        position = game_of(bench.state.configuration).next_position(dealt(bench.state.round))
        laid = sum(laid.position == position for laid in bench.state.round.laid)
        bench.card(chance.choice("A23456789TJQK") + chance.choice("SHDC"), position or "", laid + 1)


class TestFold:
    @pytest.mark.parametrize("seed", range(5))
    def test_from_the_snapshot_and_from_the_start_it_is_the_same_table(
        self, journal: SqliteJournal, seed: int
    ) -> None:
        chance = random.Random(seed)
        bench = Bench(journal)
        bench.load()
        for _ in range(6):
            deal(bench, chance)
            if chance.random() < 0.3:
                bench.key("HOLD")
                bench.key("KEY anna")
                bench.key(chance.choice(["CLEAR continue", "CLEAR void"]))
                bench.key("NOKEY")
            bench.key("SETTLED")
            if chance.random() < 0.5:
                bench = bench.again()
        if chance.random() < 0.5:
            bench.key("OPEN")
        assert journal.snapshot() is not None
        from_snapshot = fold(journal, DIGEST)
        whole, announcer = told_from_scratch(journal)
        assert from_snapshot.table == whole == bench.loop.table
        assert from_snapshot.announcer.head == announcer.head
        assert from_snapshot.boot == bench.boot
        assert {device: last.number for device, last in from_snapshot.reports.items()} == {
            device: number for device, number, _ in bench.intake.last_reports()
        }

    def test_each_start_is_a_boot_of_its_own(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        assert [bench.boot, (second := bench.again()).boot, second.again().boot] == [1, 2, 3]

    def test_it_goes_on_in_the_middle_of_the_round(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        for place, code in enumerate(("8S", "5C", "KC", "2D")):
            bench = bench.again()
            bench.card(code, ("player", "banker")[place % 2], place // 2 + 1)
            if place == 0:  # the first report of all, after a start in the round
                bench.key("KEY anna")
                bench.key("CLEAR continue")
        assert bench.hold is None
        [result] = [heard["data"] for heard in bench.said() if heard["type"] == "dealertable.round.result.v1"]
        assert result["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}

    def test_a_snapshot_that_cannot_be_read_is_passed_over(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.play()
        bench.play()
        journal.commit([], snapshot=b'{"of":"another version"}')
        assert fold(journal, DIGEST).table == bench.loop.table

    def test_a_record_that_is_no_event_stops_the_start(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        journal.commit([b'{"event":"card_red","code":"8S"}'])
        with pytest.raises(JournalError, match=f"record {journal.record_head}: not an event"):
            bench.again()


class TestMessagesAreRecomputed:
    def played(self) -> tuple[Bench, SqliteJournal]:
        journal = scratch_journal()
        bench = Bench(journal)
        bench.load()
        bench.play()
        return bench, journal

    def tamper(self, journal: SqliteJournal, name: str) -> None:
        """Somebody turns a winner's message into a loser's, and knows how to make its hash."""
        for message in journal.messages(0, 1000):
            body = message.body.replace(b'"winner":"player"', b'"winner":"banker"')
            body = body.replace(b'"card":"8S"', b'"card":"9S"')
            if body != message.body and f"dealertable.{name}.v1".encode() in body:
                journal._connection.execute(
                    "UPDATE messages SET body = ?, hash = ? WHERE sequence = ?",
                    (body, hashlib.sha256(body).hexdigest(), message.sequence),
                )
                return
        raise LookupError(name)

    @pytest.mark.parametrize("name", ["round.result", "round.card"])
    def test_a_message_that_this_software_would_write_otherwise_stops_the_start(self, name: str) -> None:
        bench, journal = self.played()
        self.tamper(journal, name)
        with pytest.raises(JournalError, match="not those that this very software writes") as raised:
            bench.again()
        assert raised.value.code == "disagrees"
        assert "CardRead" in raised.value.message

    def test_what_was_said_stands_when_other_software_starts(self) -> None:
        bench, journal = self.played()
        self.tamper(journal, "round.card")
        newer = bench.again(digest="e" * 64)
        newer.play("9S", "5C", "KC", "2D")
        assert [heard["sequence"] for heard in newer.said()] == list(range(1, newer.head() + 1))
        assert newer.again().boot == 3


class TestOtherSoftware:
    def chatty(self, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
        """A version that says one message more whenever bets close."""
        original = HANDLERS[events.BetsClosed]

        def close(turn: Any, event: Any) -> None:
            original(turn, event)
            turn.say(RoundOdds(round=turn.round.id))

        monkeypatch.setitem(HANDLERS, events.BetsClosed, close)
        return monkeypatch

    def test_it_goes_on_where_the_record_ends_though_it_would_have_said_more(
        self, monkeypatch: pytest.MonkeyPatch, journal: SqliteJournal
    ) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        bench.card("8S")
        self.chatty(monkeypatch)
        newer = bench.again(digest="e" * 64)
        assert newer.head() == bench.head()
        newer.card("5C", "banker")
        assert [heard["sequence"] for heard in newer.said()] == list(range(1, newer.head() + 1))
        # And again, over the records of both.
        assert newer.again().loop.table.state.round == newer.state.round

    def test_the_same_change_under_the_same_digest_is_refused(
        self, monkeypatch: pytest.MonkeyPatch, journal: SqliteJournal
    ) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        self.chatty(monkeypatch)
        with pytest.raises(JournalError, match="not those that this very software writes"):
            bench.again()

    def failing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise ZeroDivisionError

        monkeypatch.setitem(HANDLERS, events.BetsClosed, fail)

    def test_an_event_that_it_fails_on_holds_the_table(
        self, monkeypatch: pytest.MonkeyPatch, journal: SqliteJournal
    ) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        self.failing(monkeypatch)
        newer = bench.again(digest="e" * 64)
        assert newer.hold == "fault"
        assert newer.again().hold == "fault"

    def test_an_event_that_our_own_fails_on_the_second_time_stops_the_start(
        self, monkeypatch: pytest.MonkeyPatch, journal: SqliteJournal
    ) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        self.failing(monkeypatch)
        with pytest.raises(JournalError, match="took it in and now fails on it"):
            bench.again()


class TestConfiguration:
    def test_a_change_in_a_round_waits_for_the_next_one(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        changed = bench.again(configuration=configured(round={"bets_s": 17}))
        assert changed.state.configuration.round.bets_s == 0
        changed.card("8S")
        changed.key("KEY anna")
        changed.key("CLEAR continue")
        changed = changed.again()
        for place, code in enumerate(("5C", "KC", "2D"), 1):
            changed.card(code, ("player", "banker")[place % 2], place // 2 + 1)
        changed.key("SETTLED")
        assert changed.state.configuration.round.bets_s == 0
        assert changed.key("OPEN") == "OK"
        assert changed.state.configuration.round.bets_s == 17
        assert [timer.name for timer in changed.state.timers] == ["bets", "warn"]
        assert told_from_scratch(journal)[0] == changed.loop.table

    def test_a_change_between_rounds_holds_at_once(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        changed = bench.again(configuration=configured(round={"bets_s": 17}))
        assert changed.state.configuration.round.bets_s == 17

    def test_the_old_file_again_takes_the_change_back(self, journal: SqliteJournal) -> None:
        bench = Bench(journal)
        bench.load()
        bench.open()
        bench = bench.again(configuration=configured(round={"bets_s": 17})).again(configuration=configured())
        bench.key("KEY anna")
        bench.key("VOID supervisor")
        bench.key("OPEN")
        assert bench.state.configuration.round.bets_s == 0


def test_what_an_earlier_boot_found_out_about_the_broker_is_found_out_anew() -> None:
    earlier = (LISTENERS, PUBLISH_DENIED, OTHER_UNIT, BROKER)
    found = {kind.code: kind.holds("so") for kind in earlier}
    found |= {kind.named("settlement"): kind.holds("so") for kind in (ACK, WITNESS)}
    bench = Bench(watchers=[lambda now: found])
    assert set(bench.state.conditions) == set(found)
    again = bench.again()
    assert set(again.state.conditions) == {"broker", "witness-settlement"}
    alerts = {alert.id for alert in again.state.alerts}
    assert alerts == {"condition-broker", "condition-witness-settlement"}
