"""Lights, lamps and lock follow the state of the table: on the pins of a simulated board, and at a shoe."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controller.round.state import State
from controller.shell.conditions import Moment
from controller.shell.lamps import AGAIN_NS, Lamps
from drivers.gpio import GpioLights
from drivers.gpio.outputs import GpioOutputs
from drivers.gpio.simulator import SimulatedBoard
from drivers.ports import Received
from drivers.readings import CommandAnswered, ErrorCleared, ErrorRaised, Reading
from tests.harness.bench import Bench, CableEnd
from tests.scenarios.conversation import talk
from tests.shell.watched import Watched

PINS = GpioLights(red=17, yellow=27, green=22, hold=23, buzzer=24, shoe_lock=25)
IDLE = talk("baccarat").state
BETTING = talk("baccarat", "SHOE 416; OPEN").state
DEALING = talk("baccarat", "SHOE 416; OPEN; CLOSE").state
HELD = talk("baccarat", "SHOE 416; OPEN; CLOSE; HOLD").state
SAFE = ({"red", "shoe_lock"}, "lock")
"""What is lit, and the last word to the shoe."""


def lit(board: SimulatedBoard) -> set[str]:
    names = {name for name, number in PINS.named() if board.output(number) == (PINS.active == "high")}
    return names - {"buzzer"}


class Heard(GpioOutputs):
    """Counts how often its buzzer was sounded."""

    buzzes = 0

    def buzz(self, on_ms: int, off_ms: int = 0, times: int = 1) -> None:
        self.buzzes += 1
        super().buzz(on_ms, off_ms, times)


class LitTable:
    """Lamps on the pins of a simulated board, and a shoe that keeps what it is told."""

    def __init__(self, pins: GpioLights = PINS) -> None:
        self.board, self.shoe = SimulatedBoard(), CableEnd("shoe")
        self.outputs = Heard("lights", pins, self.board.factory)
        self.lamps = Lamps(self.shoe, self.outputs)
        self.lamps.start()

    @property
    def lit(self) -> set[str]:
        return lit(self.board)

    @property
    def shown(self) -> tuple[set[str], str]:
        """As ``SAFE``."""
        return self.lit, self.shoe.commands[-1]


@pytest.fixture
def table() -> Iterator[LitTable]:
    made = LitTable()
    yield made
    made.outputs.release()


@pytest.fixture
def shoe() -> CableEnd:
    """One without outputs beside it."""
    return CableEnd("shoe")


def said(reading: Reading) -> Received:
    return Received("shoe", reading, b"", 0, None)


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        (IDLE, {"red", "shoe_lock"}),
        (BETTING, {"green", "shoe_lock"}),
        (DEALING, {"red"}),
        (HELD, {"red", "hold", "shoe_lock"}),
    ],
)
def test_what_a_state_shows(table: LitTable, state: State, shown: set[str]) -> None:
    table.lamps.show(state)
    assert table.lit == shown


def test_five_seconds_before_the_end_the_light_is_yellow(table: LitTable) -> None:
    table.lamps.show(talk("baccarat round.bets_s=20", "SHOE 416; OPEN; TIMER warn").state)
    assert table.lit == {"yellow", "shoe_lock"}


def test_where_the_first_card_closes_the_bets_the_shoe_is_open_while_betting(table: LitTable) -> None:
    table.lamps.show(talk("baccarat round.close=first_card", "SHOE 416; OPEN").state)
    assert table.lit == {"green"}


def test_a_closed_table_shows_no_light(table: LitTable) -> None:
    table.lamps.show(talk("baccarat table.session=signed").state)
    assert table.lit == {"shoe_lock"}
    table.lamps.show(talk("baccarat table.session=signed", "TABLE-OPENED").state)
    assert table.lit == {"red", "shoe_lock"}


def test_a_new_hold_is_heard_and_an_old_one_is_not(table: LitTable) -> None:
    for state, buzzes in ((DEALING, 0), (HELD, 1), (HELD, 1), (DEALING, 1), (HELD, 2)):
        table.lamps.show(state, anew=state is HELD)
        assert table.outputs.buzzes == buzzes


def test_nothing_is_said_twice_unless_a_device_came_back(table: LitTable) -> None:
    for _ in range(3):
        table.lamps.show(DEALING)
    assert table.shoe.commands == ["unlock"]
    table.lamps.show(DEALING, anew=True)
    table.lamps.show(HELD)
    assert table.shoe.commands == ["unlock", "unlock", "lock"]


def test_a_house_that_locks_no_shoe_sends_no_command(shoe: CableEnd) -> None:
    lamps = Lamps(shoe, locks=False)
    lamps.show(DEALING)
    lamps.show(HELD)
    lamps.stop()
    assert shoe.commands == []


def test_a_lock_that_nobody_confirmed_is_told_again(shoe: CableEnd) -> None:
    lamps = Lamps(shoe)
    lamps.show(DEALING)
    assert lamps.look(Moment(0)) == {}
    assert shoe.commands == ["unlock"]
    lamps.heard(said(CommandAnswered("LK 01", False, None)))
    lamps.look(Moment(1))
    assert shoe.commands == ["unlock"] * 2
    lamps.heard(said(CommandAnswered("LK 01", False, None)))
    lamps.look(Moment(2))
    assert shoe.commands == ["unlock"] * 2
    lamps.look(Moment(1 + AGAIN_NS))
    assert shoe.commands == ["unlock"] * 3
    lamps.look(Moment(2 + 2 * AGAIN_NS))
    assert shoe.commands == ["unlock"] * 3


def test_an_error_of_the_shoe_is_cleared_with_the_hold(shoe: CableEnd) -> None:
    lamps = Lamps(shoe)
    lamps.show(DEALING)
    lamps.heard(said(ErrorRaised(4, "reverse run at the exit", in_error_mode=True)))
    for state in (HELD, DEALING, HELD, DEALING):
        lamps.show(state)
    assert shoe.commands == ["unlock", "lock", "unlock", "clear error 4", "lock", "unlock"]


@pytest.mark.parametrize("reading", [ErrorRaised(4, "x"), ErrorRaised("E3", "x", True), ErrorCleared(4, "x")])
def test_an_error_that_the_shoe_does_not_wait_with_is_left_alone(shoe: CableEnd, reading: Reading) -> None:
    lamps = Lamps(shoe)
    if isinstance(reading, ErrorCleared):
        lamps.heard(said(ErrorRaised(4, "x", in_error_mode=True)))
    lamps.heard(said(reading))
    lamps.show(HELD)
    lamps.show(DEALING)
    assert shoe.commands == ["lock", "unlock"]


def test_at_the_stop_all_is_safe_and_stays_so(table: LitTable) -> None:
    table.lamps.show(DEALING)
    table.lamps.stop()
    assert table.shown == SAFE
    table.lamps.show(BETTING, anew=True)
    assert table.lit == {"red", "shoe_lock"}


def test_while_nothing_is_durable_nothing_is_green(table: LitTable) -> None:
    table.lamps.show(BETTING)
    table.lamps.halt()
    assert table.lit == {"red", "shoe_lock"}
    table.lamps.show(BETTING)
    assert table.lit == {"green", "shoe_lock"}


def test_the_safe_state_is_shown_before_the_first_state() -> None:
    pins = GpioLights(red=17, green=22, hold=23, shoe_lock=25, safe_light="off", safe_hold=True)
    table = LitTable(pins)
    assert table.lit == {"hold", "shoe_lock"}
    table.outputs.release()


def test_outputs_that_fail_are_a_condition_and_tried_again(table: LitTable) -> None:
    table.outputs.release()
    table.board.broken = True
    table.lamps.show(BETTING)
    watched = Watched(table.lamps.look)
    assert watched.look(0) == ["outputs is said"]
    assert "GPIO chip is gone" in watched.changes[0].message
    assert watched.look(AGAIN_NS) == []
    table.board.broken = False
    assert watched.look(2 * AGAIN_NS) == ["outputs is over"]
    assert table.lit == {"green", "shoe_lock"}


def test_a_table_without_outputs_shows_nothing() -> None:
    lamps = Lamps()
    lamps.start()
    lamps.show(HELD)
    lamps.heard(said(CommandAnswered("LK 01", True, None)))
    assert lamps.look(Moment(0)) == {}
    lamps.stop()


def test_a_house_may_leave_the_shoe_open(shoe: CableEnd) -> None:
    lamps = Lamps(shoe, safe_locked=False)
    lamps.show(HELD)
    lamps.stop()
    assert shoe.commands[-1] == "unlock"


def test_a_shoe_that_started_anew_has_forgotten_its_lock_and_is_told_again(bench: Bench) -> None:
    bench.deal("8S", "5C", "KC", "2D")
    told = len(bench.shoe.commands)
    assert bench.shoe.commands[-1] == "lock"
    bench.hear(bench.frame(b"S"))
    bench.pass_s(1)
    assert bench.shoe.commands[told:] == ["lock"]
