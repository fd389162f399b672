"""The table's clocks: time is an event, stands still in a hold and begins again in full."""

from __future__ import annotations

from typing import Any

import pytest

from controller.vocabulary import events
from controller.vocabulary.codec import decode_event
from tests.harness.bench import Bench, configured, told_from_scratch


def bench_with(**settings: Any) -> Bench:
    bench = Bench(configuration=configured(round=settings))
    bench.load()
    return bench


def timers(bench: Bench) -> list[str]:
    """The clocks that were over, in order."""
    heard = [decode_event(record.body)[0] for record in bench.journal.records()]
    return [event.timer for event in heard if isinstance(event, events.TimerElapsed)]


def test_bets_close_by_the_clock_after_a_warning() -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=5)
    bench.key("OPEN")
    bench.pass_s(14.999)
    assert (timers(bench), bench.state.light) == ([], "green")
    bench.pass_s(0.001)
    assert (timers(bench), bench.state.light) == (["warn"], "yellow")
    bench.pass_s(4.999)
    assert bench.state.phase == "betting"
    bench.pass_s(0.001)
    assert (timers(bench), bench.state.phase, bench.state.light) == (["warn", "bets"], "dealing", "red")
    assert told_from_scratch(bench.journal)[0] == bench.loop.table


def test_where_only_a_button_closes_the_clock_is_for_the_eye() -> None:
    bench = bench_with(close="button", bets_s=20, warn_s=0)
    bench.key("OPEN")
    bench.pass_s(60)
    assert (timers(bench), bench.state.phase) == (["bets"], "betting")


def test_a_long_sleep_is_one_event_a_clock_in_their_order() -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=5)
    bench.key("OPEN")
    bench.pass_s(3600)
    assert (timers(bench), bench.state.phase) == (["warn", "bets"], "dealing")


def test_a_hold_stops_the_clock_and_it_runs_in_full_again() -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=0)
    bench.key("OPEN")
    bench.pass_s(15)
    bench.key("HOLD")
    bench.pass_s(3600)
    assert timers(bench) == []
    bench.key("KEY anna")
    bench.key("CLEAR continue")
    bench.pass_s(19.9)
    assert bench.state.phase == "betting"
    bench.pass_s(0.1)
    assert bench.state.phase == "dealing"


def test_a_restart_lets_the_clock_run_in_full_again() -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=0)
    bench.key("OPEN")
    bench.pass_s(15)
    bench = bench.again()
    bench.pass_s(19.9)
    assert bench.state.phase == "betting"
    bench.pass_s(0.1)
    assert bench.state.phase == "dealing"


def test_the_next_round_opens_by_itself_after_the_review() -> None:
    bench = bench_with(open="auto", settle="auto", review_s=5)
    bench.open()
    bench.deal("8S", "5C", "KC", "2D")
    assert bench.state.phase == "settled"
    bench.pass_s(5)
    assert (timers(bench), bench.state.phase, bench.state.rounds) == (["review"], "betting", 2)


def test_a_clock_ends_with_the_step_that_it_was_for() -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=5)
    bench.open()
    bench.pass_s(3600)
    assert timers(bench) == []


@pytest.mark.parametrize("wait_s", [0.0, 5.0])
def test_the_loop_wakes_for_a_clock_without_being_asked(wait_s: float) -> None:
    bench = bench_with(close="timer", bets_s=20, warn_s=0)
    bench.key("OPEN")
    bench.clock.ns += 20_000_000_000
    assert bench.loop.step(wait_s)
    assert bench.state.phase == "dealing"
