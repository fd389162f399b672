"""What the keypad is answered, and what only a supervisor's key opens."""

from __future__ import annotations

import logging
from typing import get_args

import pytest
from msgspec.structs import replace

from controller.round.turn import REFUSED, WHY_REFUSED
from controller.vocabulary import events
from controller.vocabulary.codec import decode_event
from drivers.readings import KeyPressed
from tests.harness.bench import Bench, configured


@pytest.mark.parametrize(
    ("lines", "answer"),
    [
        ("OPEN", "NO no shoe is loaded"),
        ("SHOE 416, OPEN", "OK"),
        (
            "SHOE 400",
            "NO this shoe opens no round: 400 cards of 8 decks were loaded, baccarat takes 416 of 8",
        ),
        ("SHOE 415, OPEN", "NO this shoe is withdrawn (wrong_count): load another one"),
        ("SHOE 416, OPEN, OPEN", "NO bets are open already"),
        ("SHOE 416, OPEN, SHOE 416", "NO a shoe cannot be changed in a round"),
        ("SHOE 416, CLOSE", "NO bets are not open"),
        ("SHOE 416, OPEN, CLOSE", "OK"),
        ("SHOE 416, OPEN, CLOSE, SETTLED", "NO cards are missing: a supervisor is needed"),
        ("SHOE 416, OPEN, HOLD", "OK"),
        ("SHOE 416, OPEN, HOLD, HOLD", "NO the table holds already"),
        ("SHOE 416, OPEN, HOLD, CLOSE", "NO the table holds: a supervisor is needed"),
        ("SHOE 416, DECIDED", "NO no decisions are open"),
        ("SHOE 416, REVEAL", "NO nothing to reveal"),
        ("BURN 1", "NO no shoe is loaded"),
        ("SHOE 416, BURN 1 exposed card", "OK"),
        ("FOO", "?"),
        ("open", "?"),
        ("OPEN now", "?"),
        ("SHOE", "?"),
        ("SHOE many", "?"),
        ("SHOE 0", "NO SHOE: <cards> must be a whole number from 1 to 99999"),
        ("", "?"),
    ],
)
def test_answers(lines: str, answer: str) -> None:
    bench = Bench()
    said = [bench.key(line.strip()) for line in lines.split(",")]
    if answer == "NO nothing to reveal":
        assert said[-1] is not None
        assert said[-1].startswith("NO ")
    else:
        assert said[-1] == answer


def test_what_is_not_understood_is_a_fault_of_the_device_in_the_record() -> None:
    bench = Bench()
    assert bench.key("FOO") == "?"
    [*_, record] = bench.journal.records()
    event, stamp = decode_event(record.body)
    assert event == events.DeviceFaulted("panel", "unknown word 'FOO'")
    assert bytes.fromhex(stamp.raw or "") == b"FOO\n"
    assert [alert.id for alert in bench.state.alerts] == ["fault-panel"]


SUPERVISOR = ["VOID supervisor", "ENTER 8S", "RETURN 8S", "COUNT 416", "LEFT 416", "EMPTY"]
KEY_NEEDED = "NO turn the supervisor's key"


class TestKey:
    @pytest.mark.parametrize("line", SUPERVISOR)
    def test_without_the_key_nothing_happens_and_people_are_told(self, bench: Bench, line: str) -> None:
        before = bench.state
        assert bench.key(line) == KEY_NEEDED
        assert [alert.code for alert in bench.state.alerts] == ["key_needed"]
        assert replace(bench.state, alerts=(), said=before.said) == before

    @pytest.mark.parametrize("line", SUPERVISOR)
    def test_with_the_key_the_table_judges_it(self, bench: Bench, line: str) -> None:
        assert bench.key("KEY anna") == "OK"
        assert bench.key(line) != KEY_NEEDED

    def test_the_badge_stands_in_the_void(self, bench: Bench) -> None:
        bench.key("KEY anna")
        assert bench.key("VOID supervisor") == "OK"
        [void] = [heard["data"] for heard in bench.said() if heard["type"] == "dealertable.round.void.v1"]
        assert (void["by"], void["reason"], void["rule"]) == ("anna", "supervisor", None)

    def test_a_lost_line_takes_it_back(self, bench: Bench) -> None:
        bench.key("KEY anna")
        bench.lose("panel")
        bench.restore("panel")
        assert bench.key("VOID supervisor") == KEY_NEEDED

    def test_a_restart_takes_it_back(self, bench: Bench) -> None:
        bench.key("KEY anna")
        assert bench.again().key("VOID supervisor") == KEY_NEEDED

    def test_the_key_of_one_panel_opens_nothing_at_another(self, bench: Bench) -> None:
        bench.say("rail", KeyPressed("KEY anna", "KEY", ("anna",)))
        bench.step()
        assert bench.key("VOID supervisor") == KEY_NEEDED

    def test_a_dealer_is_no_supervisor_whatever_the_badge_says(self, bench: Bench) -> None:
        bench.key("KEY dealer")
        assert bench.key("VOID supervisor") == KEY_NEEDED


class TestHarmlessChoices:
    def test_a_hold_is_cleared_with_the_key(self, bench: Bench) -> None:
        bench.key("HOLD")
        assert bench.key("CLEAR continue") == KEY_NEEDED
        bench.key("KEY anna")
        assert bench.key("CLEAR continue looked at it") == "OK"
        assert bench.hold is None

    def test_the_house_may_let_the_dealer_make_a_choice_but_never_a_void(self) -> None:
        bench = Bench(configuration=configured(round={"dealer_choices": ["continue"]}))
        bench.load()
        bench.open()
        bench.key("HOLD")
        assert bench.key("CLEAR void") == KEY_NEEDED
        assert bench.key("CLEAR continue") == "OK"

    def test_a_choice_that_the_hold_has_not_is_refused_with_those_that_it_has(self, bench: Bench) -> None:
        bench.key("HOLD")
        bench.key("KEY anna")
        assert bench.key("CLEAR burn") == "NO a hold for requested knows continue, void"


def test_a_badge_that_the_house_has_not_listed_turns_no_key_and_takes_out_the_one_before() -> None:
    bench = Bench(configuration=configured(badges={"supervisors": ["S1"]}))
    assert [bench.key("SHOE 416"), bench.key("OPEN"), bench.key("KEY S1")] == ["OK", "OK", "OK"]
    assert bench.key("KEY S2") == "NO this badge is no supervisor's of this table"
    assert bench.key("VOID supervisor") == "NO turn the supervisor's key"
    assert [bench.key("KEY S1"), bench.key("VOID supervisor")] == ["OK", "OK"]
    said = [decode_event(record.body)[0] for record in bench.journal.records()]
    assert events.KeyRefused("panel", "KEY S2", "unknown_badge") in said


@pytest.mark.parametrize("line", ["COUNT 416", "EMPTY", "CUT", "DAY", "ENDDAY", "VOID supervisor"])
def test_the_alert_about_a_refused_key_goes_when_the_supervisor_does_it(bench: Bench, line: str) -> None:
    if line != "VOID supervisor":
        bench.key("CLOSE")
        bench.key("KEY anna")
        bench.key("VOID supervisor")
        bench.key("NOKEY")
    assert bench.key(line) == KEY_NEEDED
    assert [alert.code for alert in bench.state.alerts if alert.id == REFUSED] == ["key_needed"]
    bench.key("KEY anna")
    assert bench.key(line) == "OK"
    assert [alert for alert in bench.state.alerts if alert.id == REFUSED] == []


def test_every_reason_of_a_refused_key_has_its_words() -> None:
    assert set(WHY_REFUSED) == set(get_args(events.KeyRefusal))


@pytest.mark.parametrize(
    "line",
    ["BURN 0", "BURN 417", "BURN 99999", "SHOE 0", "SHOE 99999", "SHOE 100000", "COUNT 999999", "SEATS 0"],
)
def test_a_key_with_a_number_that_cannot_be_meant_is_no_fault(
    loaded: Bench, line: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It is understood, kept and answered with what is wrong; nothing of ours has failed, and no device."""
    loaded.key("KEY S1")
    answer = loaded.key(line)
    assert str(answer).startswith("NO ")
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []
    assert "device_fault" not in [alert.code for alert in loaded.state.alerts]
