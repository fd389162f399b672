"""A restart folds the journal through the same door, and trusts nothing that does not agree."""

from __future__ import annotations

import hashlib
import random
import zlib
from typing import Any

import pytest

from controller.round.turn import game_of
from controller.shell.restart import fold
from controller.table import HANDLERS
from controller.vocabulary import events
from controller.vocabulary.conditions import ACK, BROKER, LISTENERS, OTHER_UNIT, PUBLISH_DENIED, WITNESS
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import AnyEvent
from controller.vocabulary.messages import RoundOdds
from tests.harness.bench import DIGEST, Bench, configured, told_from_scratch
from tests.shell.test_commit_then_speak import failing


def deal(bench: Bench, chance: random.Random) -> None:
    """A round of whatever cards, to the hands that the rules give them to."""
    bench.open()
    while bench.state.phase == "dealing":
        position = game_of(bench.state.configuration).next_position(bench.state.round.dealt)
        laid = sum(laid.position == position for laid in bench.state.round.laid)
        bench.card(chance.choice("A23456789TJQK") + chance.choice("SHDC"), position or "", laid + 1)


class TestFold:
    @pytest.mark.parametrize("seed", range(5))
    def test_from_the_snapshot_and_from_the_start_it_is_the_same_table(
        self, loaded: Bench, seed: int
    ) -> None:
        chance, journal = random.Random(seed), loaded.journal
        for _ in range(6):
            deal(loaded, chance)
            if chance.random() < 0.3:
                loaded.key("HOLD")
                loaded.key("KEY anna")
                loaded.key(chance.choice(["CLEAR continue", "CLEAR void"]))
                loaded.key("NOKEY")
            loaded.key("SETTLED")
            if chance.random() < 0.5:
                loaded = loaded.again()
        if chance.random() < 0.5:
            loaded.key("OPEN")
        assert journal.snapshot() is not None
        from_snapshot = fold(journal, DIGEST)
        whole, announcer = told_from_scratch(journal)
        assert from_snapshot.table == whole == loaded.loop.table
        assert from_snapshot.announcer.head == announcer.head
        assert from_snapshot.boot == loaded.boot
        assert {device: last.number for device, last in from_snapshot.reports.items()} == {
            device: number for device, number, _ in loaded.intake.last_reports()
        }

    def test_each_start_is_a_boot_of_its_own(self, loaded: Bench) -> None:
        assert [loaded.boot, (second := loaded.again()).boot, second.again().boot] == [1, 2, 3]

    def test_it_goes_on_in_the_middle_of_the_round(self, bench: Bench) -> None:
        for place, code in enumerate(("8S", "5C", "KC", "2D")):
            bench = bench.again()
            bench.card(code, ("player", "banker")[place % 2], place // 2 + 1)
            if place == 0:  # the first report of all, after a start in the round
                bench.key("KEY anna")
                bench.key("CLEAR continue")
        assert bench.hold is None
        [result] = [heard["data"] for heard in bench.said() if heard["type"] == "dealertable.round.result.v1"]
        assert result["hands"] == {"player": ["8S", "KC"], "banker": ["5C", "2D"]}

    @pytest.mark.parametrize("body", [b'{"of":"another version"}', zlib.compress(b"{}"), b"no zlib"])
    def test_a_snapshot_that_cannot_be_read_is_passed_over(self, loaded: Bench, body: bytes) -> None:
        loaded.play()
        loaded.play()
        loaded.journal.commit([], snapshot=body)
        assert fold(loaded.journal, DIGEST).table == loaded.loop.table

    def test_a_record_that_is_no_event_stops_the_start(self, loaded: Bench) -> None:
        loaded.journal.commit([b'{"event":"card_red","code":"8S"}'])
        with pytest.raises(JournalError, match=f"record {loaded.journal.record_head}: not an event"):
            loaded.again()


class TestMessagesAreRecomputed:
    def tamper(self, loaded: Bench, name: str) -> None:
        """After a round somebody turns a winner's message into a loser's, and knows how to make its hash."""
        loaded.play()
        journal = loaded.journal
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
    def test_a_message_that_this_software_would_write_otherwise_stops_the_start(
        self, loaded: Bench, name: str
    ) -> None:
        self.tamper(loaded, name)
        with pytest.raises(JournalError, match="not those that this very software writes") as raised:
            loaded.again()
        assert raised.value.code == "disagrees"
        assert "CardRead" in raised.value.message

    def test_what_was_said_stands_when_other_software_starts(self, loaded: Bench) -> None:
        self.tamper(loaded, "round.card")
        newer = loaded.again(digest="e" * 64)
        newer.play("9S", "5C", "KC", "2D")
        assert [heard["sequence"] for heard in newer.said()] == list(range(1, newer.head() + 1))
        assert newer.again().boot == 3


class TestOtherSoftware:
    @pytest.fixture
    def chatty(self, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
        """From now on there is a version that says one message more whenever bets close."""
        original = HANDLERS[events.BetsClosed]

        def close(turn: Any, event: Any) -> None:
            original(turn, event)
            turn.say(RoundOdds(round=turn.round.id))

        monkeypatch.setitem(HANDLERS, events.BetsClosed, close)

    @pytest.mark.usefixtures("chatty")
    def test_it_goes_on_where_the_record_ends_though_it_would_have_said_more(self, bench: Bench) -> None:
        bench.card("8S")
        newer = bench.again(digest="e" * 64)
        assert newer.head() == bench.head()
        newer.card("5C", "banker")
        assert [heard["sequence"] for heard in newer.said()] == list(range(1, newer.head() + 1))
        # And again, over the records of both.
        assert newer.again().loop.table.state.round == newer.state.round

    @pytest.mark.usefixtures("chatty")
    def test_the_same_change_under_the_same_digest_is_refused(self, bench: Bench) -> None:
        with pytest.raises(JournalError, match="not those that this very software writes"):
            bench.again()

    def test_what_it_took_over_is_found_again_though_its_rules_read_all_before_it_otherwise(
        self, loaded: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        loaded.play()
        loaded.play()
        loaded.key("OPEN")
        monkeypatch.setitem(HANDLERS, events.RoundSettled, lambda turn, event: turn.refuse("held", "never"))
        newer = loaded.again(digest="e" * 64)
        newer.key("CLOSE")
        newer.deal("8S", "5C", "KC", "2D")
        table, announcer = told_from_scratch(newer.journal, "e" * 64)
        assert table == newer.loop.table
        assert announcer.head.sequence == newer.head() + 1
        newest = newer.again(digest="f" * 64)
        assert told_from_scratch(newer.journal, "f" * 64)[0] == newest.loop.table

    @pytest.mark.parametrize("refused", [events.BetsClosed, events.RoundSettled, events.BetsOpened])
    def test_a_round_that_was_paid_stands_though_its_rules_would_not_have_come_so_far(
        self, loaded: Bench, monkeypatch: pytest.MonkeyPatch, refused: type[AnyEvent]
    ) -> None:
        loaded.play()
        told = loaded.state
        with monkeypatch.context() as stricter:
            stricter.setitem(HANDLERS, refused, lambda turn, event: turn.refuse("held", "not by these rules"))
            newer = loaded.again(digest="e" * 64)
            assert newer.again(digest="e" * 64).state.round == newer.state.round
        assert (newer.hold, newer.state.phase) == (None, "settled")
        assert newer.state.round.result == told.round.result
        assert [laid.drawn.card for laid in newer.state.round.laid] == ["8S", "5C", "KC", "2D"]
        assert newer.state.last == told.last
        assert newer.state.history == told.history
        before = newer.head()
        newer.key("OPEN")
        assert newer.names(before)[:2] == ["round.final", "round.opened"]
        assert newer.state.round.id != told.round.id

    def test_a_round_that_was_void_stays_void_though_its_rules_would_play_on(
        self, loaded: Bench, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        loaded.open()
        loaded.deal("8S", "5C")
        loaded.key("KEY anna")
        loaded.key("VOID supervisor")
        kept = loaded.journal.snapshot()
        assert kept is not None
        assert kept[0] == loaded.journal.record_head, "nothing before a void is read by other rules"
        monkeypatch.setitem(HANDLERS, events.RoundVoided, lambda turn, event: turn.refuse("held", "never"))
        newer = loaded.again(digest="e" * 64)
        assert (newer.hold, newer.state.phase, newer.state.round.phase) == (None, "idle", "void")
        assert newer.state.last == loaded.state.last
        assert newer.state.history == loaded.state.history

    def test_an_event_that_it_fails_on_holds_the_table(self, bench: Bench) -> None:
        with failing(events.BetsClosed):
            newer = bench.again(digest="e" * 64)
            assert newer.hold == "fault"
            assert newer.again().hold == "fault"

    def test_an_event_that_our_own_fails_on_the_second_time_stops_the_start(self, bench: Bench) -> None:
        with failing(events.BetsClosed), pytest.raises(JournalError, match="took it in and now fails on it"):
            bench.again()


class TestConfiguration:
    def test_a_change_in_a_round_waits_for_the_next_one(self, bench: Bench) -> None:
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
        assert told_from_scratch(changed.journal)[0] == changed.loop.table

    def test_a_change_between_rounds_holds_at_once(self, loaded: Bench) -> None:
        changed = loaded.again(configuration=configured(round={"bets_s": 17}))
        assert changed.state.configuration.round.bets_s == 17

    def test_the_old_file_again_takes_the_change_back(self, bench: Bench) -> None:
        mended = bench.again(configuration=configured(round={"bets_s": 17}))
        mended = mended.again(configuration=configured())
        mended.key("KEY anna")
        mended.key("VOID supervisor")
        mended.key("OPEN")
        assert mended.state.configuration.round.bets_s == 0


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
