"""A shuffler on pins: when a shuffle is done, what makes it fail, and what it never says."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.errors import DeviceSettingsError
from drivers.gpio import CountEdge, GpioShuffler
from drivers.gpio.debounce import Turned
from drivers.gpio.inputs import InputTimes
from drivers.gpio.shuffle import Shuffling
from drivers.gpio.shuffler import GpioShufflerDriver
from drivers.gpio.simulator import SimulatedBoard, SimulatedShuffler
from drivers.readings import (
    DeviceReachable,
    DeviceUnreachable,
    InputFreed,
    InputsRead,
    InputStuck,
    Reading,
    ShufflerSaid,
)
from tests.drivers.listening import Listener, listening
from tests.harness.process import until

_LOOKED_NS = 20_000_000
"""The levels are read so often."""
QUICK = InputTimes(stuck_ms=0, look_s=0.02, retry_s=0.02)
READY_WITHIN = 50


def machine(
    text: str, *, counts: bool = True, edge: CountEdge = "begin", at_first: str = "ready"
) -> list[str]:
    """What it says to ``+running``, ``-running``, ``+count`` ..., each ten later, or ``wait``."""
    shuffling = Shuffling(counts=counts, edge=edge, ready_within_ns=READY_WITHIN)
    contacts = ("running", "ready", "door", "jam", "count")
    shuffling.begin({name: name in at_first.split() for name in contacts}, 0)
    said, now = [], 0
    for word in text.split():
        now += 10
        if word == "wait":
            now += READY_WITHIN
            said += shuffling.pass_time(now)
        elif word == "lost":
            said += shuffling.lost()
        elif word == "long":
            said += shuffling.stuck("it runs for too long")
        else:
            said += shuffling.turned(word[1:], Turned(word[0] == "+", now, 10))
    return said


LATE = "it stopped and is not ready"
SHUFFLE = "-ready +running CARD -running +ready"
CARD = "+count -count"
TALES = """
counted | -ready +running CARD CARD -running +ready | START; DONE 2
ready before it stands still | -ready +running CARD +ready -running | START; DONE 1
ready goes off late | +running CARD -ready -running +ready | START; DONE 1
the last card drops after it stopped | -ready +running -running CARD +ready | START; DONE 1
cards at rest are of no shuffle | CARD -ready +running CARD -running +ready | START; DONE 1
again | SHUFFLE SHUFFLE | START; DONE 1; START; DONE 1
the door opens | -ready +running CARD +door -door CARD -running +ready | START; FAIL the door is open
the door is open from the beginning | -ready +door +running -running +ready | START; FAIL the door is open
a door at rest is nobody's matter | +door -ready -door +ready |
a jam, and the door | -ready +running +jam +door -running -jam -door +ready | START; FAIL a card is jammed
a jam as it stops | -ready +running CARD -running +jam -jam +ready | START; FAIL a card is jammed
a jam at rest | +jam -jam | ERROR jam a card is jammed
not ready in time | -ready +running CARD -running wait +ready | START; FAIL LATE
begun anew | -ready +running -running +running CARD -running +ready | START; FAIL ANEW; START; DONE 1
ready is stuck | +running CARD -running | START; FAIL ready was active while it shuffled: see its wires
none is counted | -ready +running -running +ready | START; FAIL no card was counted: see the wires of count
too long | -ready +running CARD long -running +ready | START; FAIL it runs for too long
stuck at rest | long |
lost | -ready +running CARD lost | START; FAIL its contacts were lost in the shuffle
lost at rest | lost |
"""
CASES = [line.split("|") for line in TALES.strip().splitlines()]


@pytest.mark.parametrize(
    ("tale", "said"), [case[1:] for case in CASES], ids=[case[0].strip() for case in CASES]
)
def test_what_the_contacts_mean(tale: str, said: str) -> None:
    expected = said.replace("ANEW", "it began anew before it was ready").replace("LATE", LATE).strip()
    assert "; ".join(machine(tale.replace("SHUFFLE", SHUFFLE).replace("CARD", CARD))) == expected


def test_a_machine_that_does_not_count_says_no_number() -> None:
    assert machine("-ready +running -running +ready", counts=False) == ["START", "DONE"]


@pytest.mark.parametrize(("edge", "cards"), [("begin", 2), ("end", 1), ("both", 3)])
def test_which_edge_of_a_pulse_is_a_card(edge: CountEdge, cards: int) -> None:
    assert machine("-ready +running +count -count +count -running +ready", edge=edge)[-1] == f"DONE {cards}"


def test_a_shuffle_that_nobody_saw_begin_is_never_done() -> None:
    assert machine(f"{CARD} -running +ready", at_first="running") == ["FAIL its beginning was not seen"]
    assert machine("+jam -running -jam +ready", at_first="running") == ["FAIL a card is jammed"]


WORDS = st.sampled_from(
    [f"{way}{name}" for way in "+-" for name in ("running", "ready", "door", "jam", "count")]
    + ["wait", "lost"]
)


@given(st.lists(WORDS, max_size=30))
def test_a_shuffle_is_done_only_after_its_start_and_fails_at_most_once(words: list[str]) -> None:
    last = "DONE"
    for line in machine(" ".join(words)):
        word = line.split()[0]
        if word in ("DONE", "FAIL"):
            assert last == "START"
        last = last if word == "ERROR" else word


# --- the driver, on the library's mock pins

PINS: dict[str, Any] = {"running": 22, "ready": 23, "door": 18, "jam": 10, "count": 9}


@pytest.fixture
def board() -> SimulatedBoard:
    return SimulatedBoard()


def shuffler(**more: Any) -> GpioShuffler:
    return GpioShuffler(**{**PINS, "debounce_ms": 10, **more})


def driver(board: SimulatedBoard, settings: GpioShuffler, times: InputTimes = QUICK) -> GpioShufflerDriver:
    return GpioShufflerDriver("shuffler", settings, board.factory, times)


def opened(heard: Listener, *active: str) -> None:
    assert isinstance(heard.reading(), DeviceReachable)
    assert heard.reading() == InputsRead(active)


def lines(heard: Listener, number: int) -> list[str]:
    return [heard.next(ShufflerSaid).line for _ in range(number)]


@pytest.mark.parametrize("active", ["low", "high"])
@pytest.mark.parametrize("inverted", [(), ("door", "running")])
def test_a_shuffle_is_counted(board: SimulatedBoard, active: Any, inverted: Any) -> None:
    settings = shuffler(active=active, inverted=inverted)
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        for cards in (40, 3):
            shuffles.shuffle(cards)
            assert heard.reading() == ShufflerSaid("START", "START", ())
            assert heard.reading() == ShufflerSaid(f"DONE {cards}", "DONE", (str(cards),))
        assert heard.is_quiet()


def test_pulses_that_are_told_late_are_counted_by_the_time_of_their_edges(board: SimulatedBoard) -> None:
    settings = shuffler(count_debounce_ms=1)
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        shuffles.start()
        assert lines(heard, 1) == ["START"]  # it began ten milliseconds ago at least
        began_s = time.monotonic() - 0.009
        tell = board.factory().pin(PINS["count"]).when_changed
        tell(began_s, 0)
        told_ns = time.monotonic_ns() + 2 * _LOOKED_NS
        until(lambda: (heard.driver.state.last_byte_ns or 0) > told_ns)
        for edge in range(1, 6):
            tell(began_s + edge * 0.0015, edge % 2)
        shuffles.stop()
        shuffles.set("ready", True)
        assert lines(heard, 1) == ["DONE 3"]


def test_a_machine_without_a_count(board: SimulatedBoard) -> None:
    settings = shuffler(count=None)
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        shuffles.shuffle(40)
        assert heard.reading() == ShufflerSaid("START", "START", ())
        assert heard.reading() == ShufflerSaid("DONE", "DONE", ())


def test_the_reason_of_a_failure_is_one_text(board: SimulatedBoard) -> None:
    settings = shuffler()
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        shuffles.set("jam", True)
        assert heard.reading() == ShufflerSaid(
            "ERROR jam a card is jammed", "ERROR", ("jam", "a card is jammed")
        )
        shuffles.start()
        assert lines(heard, 1) == ["START"]
        assert heard.reading() == ShufflerSaid("FAIL a card is jammed", "FAIL", ("a card is jammed",))


def test_a_machine_that_does_not_get_ready(board: SimulatedBoard) -> None:
    settings = shuffler(ready_within_ms=20)
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        shuffles.start()
        shuffles.feed(2)
        shuffles.stop()
        assert lines(heard, 2) == ["START", "FAIL it stopped and is not ready"]


def test_a_machine_that_runs_for_ever_has_failed_and_is_stuck(board: SimulatedBoard) -> None:
    settings = shuffler()
    shuffles = SimulatedShuffler(board, settings)
    made = driver(board, settings)
    made.stuck_ms = lambda name: 1000 if name == "running" else 0  # type: ignore[method-assign]
    with listening(made) as heard:
        opened(heard, "ready")
        shuffles.start()
        assert lines(heard, 1) == ["START"]
        assert heard.reading() == InputStuck("running")
        assert lines(heard, 1) == ["FAIL it runs for longer than a shuffle may take"]
        shuffles.stop()
        shuffles.set("ready", True)
        assert heard.reading() == InputFreed("running")
        shuffles.shuffle(2)
        assert lines(heard, 2) == ["START", "DONE 2"]


def test_a_count_that_stays_active_is_stuck(board: SimulatedBoard) -> None:
    settings = shuffler()
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings, InputTimes(stuck_ms=50, look_s=0.02))) as heard:
        opened(heard, "ready")
        shuffles.start()
        shuffles.set("count", True)
        assert lines(heard, 1) == ["START"]
        assert heard.reading() == InputStuck("count")
        assert lines(heard, 1) == ["FAIL the count is stuck"]


def test_pins_that_are_lost_in_a_shuffle(board: SimulatedBoard) -> None:
    settings = shuffler()
    shuffles = SimulatedShuffler(board, settings)
    with listening(driver(board, settings)) as heard:
        opened(heard, "ready")
        shuffles.start()
        assert lines(heard, 1) == ["START"]
        pin = board.factory().pin(PINS["door"])
        read, pin._get_state = pin._get_state, _fails
        assert lines(heard, 1) == ["FAIL its contacts were lost in the shuffle"]
        assert isinstance(heard.reading(), DeviceUnreachable)
        pin._get_state = read
        opened(heard, "running")
        shuffles.stop()
        shuffles.set("ready", True)
        assert lines(heard, 1) == ["FAIL its beginning was not seen"]


def _fails() -> Iterator[Reading]:
    raise OSError("I/O error")


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"door": None, "inverted": ("door",)}, 'inverted: "door" has no pin'),
        ({"count_debounce_ms": 30}, "count_debounce_ms: 30 is wrong; needed is at most debounce_ms = 10"),
    ],
)
def test_what_does_not_go_together_is_refused(keys: dict[str, Any], problem: str) -> None:
    with pytest.raises(DeviceSettingsError) as caught:
        shuffler(**keys)
    assert str(caught.value) == problem


def test_what_is_not_wired_is_worth_a_look() -> None:
    assert [key for key, _ in shuffler().advice(False)] == []
    assert [key for key, _ in shuffler(count=None, door=None, jam=None).advice(False)] == ["count", "jam"]
