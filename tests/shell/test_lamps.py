"""Lights, lamps and lock follow the state of the table: on the pins of a simulated board, and at a shoe."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import pytest

from controller.round.state import State
from controller.shell.conditions import Moment
from controller.shell.lamps import AGAIN_NS, Lamps
from controller.vocabulary import events
from controller.vocabulary.configuration import TableSettings
from drivers.gpio import GpioLights
from drivers.gpio.outputs import GpioOutputs
from drivers.gpio.simulator import SimulatedBoard
from drivers.ports import Answer, PortState, Received
from drivers.readings import CommandAnswered, ErrorCleared, ErrorRaised, Reading
from tests.harness.states import BACCARAT, IN_ROUND, state_after
from tests.shell.watched import Watched

PINS = GpioLights(red=17, yellow=27, green=22, hold=23, buzzer=24, shoe_lock=25)
IDLE = state_after()
BETTING = state_after(*IN_ROUND[:-1])
DEALING = state_after(*IN_ROUND)
HELD = state_after(*IN_ROUND, events.HoldRequested(by="dealer"))


class LockableBox:
    """A shoe that only knows whether it is locked, and what it was asked."""

    name = "shoe"
    numbered = True
    state = PortState("box")

    def __init__(self) -> None:
        self.locked: bool | None = None
        self.asked = 0
        self.cleared: list[int] = []

    def start(self, deliver: object) -> None: ...

    def stop(self) -> None: ...

    def acknowledge(self, received: Received, answer: Answer) -> None: ...

    def lock(self) -> None:
        self.locked, self.asked = True, self.asked + 1

    def unlock(self) -> None:
        self.locked, self.asked = False, self.asked + 1

    def clear_error(self, code: int) -> None:
        self.cleared.append(code)

    def query(self) -> None: ...


def lit(board: SimulatedBoard) -> set[str]:
    names = {name for name, number in PINS.named() if board.output(number) == (PINS.active == "high")}
    return names - {"buzzer"}


class Heard(GpioOutputs):
    """Counts how often its buzzer was sounded."""

    buzzes = 0

    def buzz(self, on_ms: int, off_ms: int = 0, times: int = 1) -> None:
        self.buzzes += 1
        super().buzz(on_ms, off_ms, times)


@pytest.fixture
def board() -> Iterator[SimulatedBoard]:
    board = SimulatedBoard()
    yield board
    for outputs in TAKEN:
        outputs.release()
    TAKEN.clear()


TAKEN: list[Heard] = []


def lamps_on(board: SimulatedBoard, shoe: LockableBox | None = None) -> Lamps:
    TAKEN.append(Heard("lights", PINS, board.factory))
    lamps = Lamps(shoe, TAKEN[-1])
    lamps.start()
    return lamps


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
def test_what_a_state_shows(board: SimulatedBoard, state: State, shown: set[str]) -> None:
    lamps = lamps_on(board)
    lamps.show(state)
    assert lit(board) == shown


def test_five_seconds_before_the_end_the_light_is_yellow(board: SimulatedBoard) -> None:
    clock = msgspec.structs.replace(BACCARAT.round, bets_s=20)
    core = msgspec.structs.replace(BACCARAT, round=clock)
    lamps_on(board).show(state_after(*IN_ROUND[:-1], events.TimerElapsed("warn"), core=core))
    assert lit(board) == {"yellow", "shoe_lock"}


def test_where_the_first_card_closes_the_bets_the_shoe_is_open_while_betting(board: SimulatedBoard) -> None:
    rules = msgspec.structs.replace(BACCARAT.round, close="first_card")
    core = msgspec.structs.replace(BACCARAT, round=rules)
    lamps_on(board).show(state_after(*IN_ROUND[:-1], core=core))
    assert lit(board) == {"green"}


def test_a_closed_table_shows_no_light(board: SimulatedBoard) -> None:
    core = msgspec.structs.replace(BACCARAT, table=TableSettings("north", "7", session="signed"))
    lamps = lamps_on(board)
    lamps.show(state_after(core=core))
    assert lit(board) == {"shoe_lock"}
    lamps.show(state_after(events.TableOpened(by="17"), core=core))
    assert lit(board) == {"red", "shoe_lock"}


def test_a_new_hold_is_heard_and_an_old_one_is_not(board: SimulatedBoard) -> None:
    lamps = lamps_on(board)
    for state, buzzes in ((DEALING, 0), (HELD, 1), (HELD, 1), (DEALING, 1), (HELD, 2)):
        lamps.show(state, anew=state is HELD)
        assert TAKEN[-1].buzzes == buzzes


def test_nothing_is_said_twice_unless_a_device_came_back(board: SimulatedBoard) -> None:
    shoe = LockableBox()
    lamps = lamps_on(board, shoe)
    for _ in range(3):
        lamps.show(DEALING)
    assert (shoe.locked, shoe.asked) == (False, 1)
    lamps.show(DEALING, anew=True)
    assert (shoe.locked, shoe.asked) == (False, 2)
    lamps.show(HELD)
    assert (shoe.locked, shoe.asked) == (True, 3)


def test_a_house_that_locks_no_shoe_sends_no_command() -> None:
    shoe = LockableBox()
    lamps = Lamps(shoe, locks=False)
    lamps.show(DEALING)
    lamps.show(HELD)
    lamps.stop()
    assert shoe.asked == 0


def test_a_lock_that_nobody_confirmed_is_told_again() -> None:
    shoe = LockableBox()
    lamps = Lamps(shoe)
    lamps.show(DEALING)
    assert lamps.look(Moment(0)) == {}
    assert shoe.asked == 1
    lamps.heard(said(CommandAnswered("LK 01", False, None)))
    lamps.look(Moment(1))
    assert (shoe.locked, shoe.asked) == (False, 2)
    lamps.heard(said(CommandAnswered("LK 01", False, None)))
    lamps.look(Moment(2))
    assert shoe.asked == 2
    lamps.look(Moment(1 + AGAIN_NS))
    assert shoe.asked == 3
    lamps.look(Moment(2 + 2 * AGAIN_NS))
    assert shoe.asked == 3


def test_an_error_of_the_shoe_is_cleared_with_the_hold() -> None:
    shoe = LockableBox()
    lamps = Lamps(shoe)
    lamps.show(DEALING)
    lamps.heard(said(ErrorRaised(4, "reverse run at the exit", in_error_mode=True)))
    lamps.show(HELD)
    assert shoe.cleared == []
    lamps.show(DEALING)
    assert shoe.cleared == [4]
    lamps.show(HELD)
    lamps.show(DEALING)
    assert shoe.cleared == [4]


@pytest.mark.parametrize("reading", [ErrorRaised(4, "x"), ErrorRaised("E3", "x", True), ErrorCleared(4, "x")])
def test_an_error_that_the_shoe_does_not_wait_with_is_left_alone(reading: Reading) -> None:
    shoe = LockableBox()
    lamps = Lamps(shoe)
    if isinstance(reading, ErrorCleared):
        lamps.heard(said(ErrorRaised(4, "x", in_error_mode=True)))
    lamps.heard(said(reading))
    lamps.show(HELD)
    lamps.show(DEALING)
    assert shoe.cleared == []


def test_at_the_stop_all_is_safe_and_stays_so(board: SimulatedBoard) -> None:
    shoe = LockableBox()
    lamps = lamps_on(board, shoe)
    lamps.show(DEALING)
    lamps.stop()
    assert (lit(board), shoe.locked) == ({"red", "shoe_lock"}, True)
    lamps.show(BETTING, anew=True)
    assert lit(board) == {"red", "shoe_lock"}


def test_while_nothing_is_durable_nothing_is_green(board: SimulatedBoard) -> None:
    lamps = lamps_on(board)
    lamps.show(BETTING)
    lamps.halt()
    assert lit(board) == {"red", "shoe_lock"}
    lamps.show(BETTING)
    assert lit(board) == {"green", "shoe_lock"}


def test_the_safe_state_is_shown_before_the_first_state(board: SimulatedBoard) -> None:
    pins = GpioLights(red=17, green=22, hold=23, shoe_lock=25, safe_light="off", safe_hold=True)
    TAKEN.append(Heard("lights", pins, board.factory))
    Lamps(None, TAKEN[-1]).start()
    assert lit(board) == {"hold", "shoe_lock"}


def test_outputs_that_fail_are_a_condition_and_tried_again(board: SimulatedBoard) -> None:
    board.broken = True
    lamps = lamps_on(board)
    lamps.show(BETTING)
    watched = Watched(lamps.look)
    assert watched.look(0) == ["outputs is said"]
    assert "GPIO chip is gone" in watched.changes[0].message
    assert watched.look(AGAIN_NS) == []
    board.broken = False
    assert watched.look(2 * AGAIN_NS) == ["outputs is over"]
    assert lit(board) == {"green", "shoe_lock"}


def test_a_table_without_outputs_shows_nothing() -> None:
    lamps = Lamps()
    lamps.start()
    lamps.show(HELD)
    lamps.heard(Received("panel", CommandAnswered("LK 01", True, None), b"", 0, None))
    assert lamps.look(Moment(0)) == {}
    lamps.stop()


def test_a_house_may_leave_the_shoe_open() -> None:
    shoe = LockableBox()
    lamps = Lamps(shoe, safe_locked=False)
    lamps.show(HELD)
    lamps.stop()
    assert shoe.locked is False
