"""Buttons, key switch, beam and lamps on mock pins of the real library."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from gpiozero import DigitalOutputDevice

from drivers.gpio import GpioBeam, GpioButtons, GpioLights, GpioPanel
from drivers.gpio.driver import GpioBeamDriver, GpioPanelDriver
from drivers.gpio.inputs import InputTimes
from drivers.gpio.outputs import GpioOutputs, put_safe
from drivers.gpio.pins import PinsUnusable, board_factory
from drivers.gpio.simulator import SimulatedBoard
from drivers.ports import Accepted, Light
from drivers.readings import (
    BeamBroken,
    BeamRestored,
    DeviceReachable,
    DeviceUnreachable,
    InputFreed,
    InputStuck,
    KeyPressed,
)
from tests.drivers.listening import Listener, listening
from tests.harness.process import until

OPEN, CLOSE, KEY, BEAM = 5, 6, 13, 19
PAUSE_S = 60.0
"""What nobody may wait out: far longer than any machine takes for what is done meanwhile."""
QUICK = InputTimes(stuck_ms=0, look_s=0.02, retry_s=0.02)


@pytest.fixture
def board() -> SimulatedBoard:
    return SimulatedBoard()


def panel(board: SimulatedBoard, times: InputTimes = QUICK, **more: object) -> GpioPanelDriver:
    settings = {"buttons": GpioButtons(open=OPEN, close=CLOSE), "key_badge": "supervisor-1", **more}
    made = GpioPanel(key_switch=KEY, **{"debounce_ms": 30, **settings})  # type: ignore[arg-type]
    return GpioPanelDriver("panel", made, board.factory, times)


def beam(board: SimulatedBoard, times: InputTimes, debounce_ms: int, pin: int = BEAM) -> GpioBeamDriver:
    return GpioBeamDriver("beam", GpioBeam(pin=pin, debounce_ms=debounce_ms), board.factory, times)


def pressed(word: str) -> KeyPressed:
    return KeyPressed(word, word, ())


def nokey_first(heard: Listener) -> None:
    assert isinstance(heard.reading(), DeviceReachable)
    assert heard.reading() == pressed("NOKEY")


def test_buttons_that_bounce_are_pressed_once_and_say_the_keypads_words(board: SimulatedBoard) -> None:
    with listening(panel(board)) as heard:
        nokey_first(heard)
        for _ in range(3):
            board.press(OPEN)
            assert heard.reading() == pressed("OPEN")
            board.let_go(OPEN)
            board.press(CLOSE)
            assert heard.reading() == pressed("CLOSE")
            board.let_go(CLOSE)
        state = heard.driver.state
        assert state.connected
        assert state.path == "GPIO5, GPIO6, GPIO13"
        assert state.noise_in > 0
        assert heard.is_quiet()


def test_the_key_switch_says_key_with_its_badge_and_nokey_and_is_never_stuck(board: SimulatedBoard) -> None:
    with listening(panel(board, InputTimes(stuck_ms=30, look_s=0.01), debounce_ms=5)) as heard:
        nokey_first(heard)
        board.press(KEY)
        assert heard.reading() == KeyPressed("KEY supervisor-1", "KEY", ("supervisor-1",))
        board.press(OPEN)
        assert heard.reading() == pressed("OPEN")
        assert heard.reading() == InputStuck("OPEN")
        board.let_go(OPEN)
        assert heard.reading() == InputFreed("OPEN")
        board.let_go(KEY)
        assert heard.reading() == pressed("NOKEY")


def test_the_levels_at_the_beginning_are_read(board: SimulatedBoard) -> None:
    board.set_input(KEY, True)
    board.set_input(OPEN, True)
    board.set_input(BEAM, True)
    with listening(panel(board, InputTimes(stuck_ms=30, look_s=0.01), debounce_ms=5)) as heard:
        assert isinstance(heard.reading(), DeviceReachable)
        assert heard.reading() == KeyPressed("KEY supervisor-1", "KEY", ("supervisor-1",))
        # A button that is held already was not pressed now.
        assert heard.reading() == InputStuck("OPEN")
    with listening(beam(board, QUICK, 30)) as heard:
        assert isinstance(heard.reading(), DeviceReachable)
        assert heard.reading() == BeamBroken()


def test_the_beam_counts_at_the_first_edge_and_a_flickering_card_is_one_break(board: SimulatedBoard) -> None:
    with listening(beam(board, InputTimes(stuck_ms=0, at_once=True), 50)) as heard:
        assert isinstance(heard.reading(), DeviceReachable)
        for _ in range(3):
            board.press(BEAM, bounces=4)
            broken = heard.take()
            assert broken.reading == BeamBroken()
            board.let_go(BEAM, bounces=4)
            restored = heard.take()
            assert isinstance(restored.reading, BeamRestored)
            lasted_ns = restored.monotonic_ns - broken.monotonic_ns
            assert restored.reading.broken_ms == lasted_ns // 1_000_000


def test_a_beam_that_stays_broken_is_stuck(board: SimulatedBoard) -> None:
    with listening(beam(board, InputTimes(stuck_ms=30, at_once=True), 5)) as heard:
        heard.reading()
        board.set_input(BEAM, True)
        assert [heard.reading(), heard.reading()] == [BeamBroken(), InputStuck("beam")]
        board.set_input(BEAM, False)
        assert isinstance(heard.reading(), BeamRestored)
        assert heard.reading() == InputFreed("beam")


def test_an_edge_that_the_library_loses_is_found_by_looking(board: SimulatedBoard) -> None:
    with listening(panel(board)) as heard:
        nokey_first(heard)
        pin = board.factory().pin(OPEN)
        pin.when_changed = None
        board.set_input(OPEN, True)
        assert heard.reading() == pressed("OPEN")


def test_a_board_that_fails_is_lost_once_and_restored(board: SimulatedBoard) -> None:
    board.broken = True
    with listening(panel(board)) as heard:
        assert "GPIO chip is gone" in heard.next(DeviceUnreachable).reason
        board.broken = False
        nokey_first(heard)
        board.press(OPEN)
        assert heard.reading() == pressed("OPEN")


def test_pins_that_fail_while_they_are_read_are_lost_and_taken_again(
    board: SimulatedBoard, caplog: pytest.LogCaptureFixture
) -> None:
    with listening(panel(board)) as heard:
        nokey_first(heard)
        pin = board.factory().pin(OPEN)
        read = pin._get_state
        pin._get_state = _fails
        assert isinstance(heard.reading(), DeviceUnreachable)
        pin._get_state = read
        assert not heard.next(DeviceReachable).first
        assert "starts anew" in caplog.text


def _fails(*level: Any) -> bool:
    raise OSError("I/O error")


def test_a_pin_that_another_device_has_is_named(board: SimulatedBoard) -> None:
    with listening(panel(board)) as first:
        nokey_first(first)
        with listening(beam(board, QUICK, 30, OPEN)) as second:
            assert "GPIO5" in second.next(DeviceUnreachable).reason


def test_a_button_says_any_line_of_the_keypad(board: SimulatedBoard) -> None:
    lines = {"SHOE 416": OPEN, "CLEAR burn by the button": CLOSE}
    with listening(panel(board, buttons=GpioButtons(), lines=lines)) as heard:
        nokey_first(heard)  # said when the levels at the start have been read
        board.press(OPEN)
        assert heard.reading() == KeyPressed("SHOE 416", "SHOE", ("416",))
        board.press(CLOSE)
        assert heard.reading() == KeyPressed("CLEAR burn by the button", "CLEAR", ("burn", "by the button"))


def test_answers_are_taken_and_stop_is_prompt(board: SimulatedBoard) -> None:
    driver = panel(board, InputTimes(look_s=PAUSE_S, retry_s=PAUSE_S))
    listener = Listener(driver)
    driver.start(listener.deliver)
    driver.acknowledge(listener.take(), Accepted())
    begun = time.monotonic()
    driver.stop()
    driver.stop()
    assert time.monotonic() - begun < PAUSE_S / 2


PINS = GpioLights(red=17, yellow=27, green=22, hold=23, buzzer=24, shoe_lock=25)


def lit(board: SimulatedBoard, pins: GpioLights = PINS) -> set[str]:
    return {name for name, number in pins.named() if board.output(number) == (pins.active == "high")}


def outputs(board: SimulatedBoard, pins: GpioLights = PINS) -> GpioOutputs:
    made = GpioOutputs("lights", pins, board.factory)
    made.start()
    return made


def test_outputs_begin_and_end_in_the_safe_state_and_stay_driven(board: SimulatedBoard) -> None:
    lights = outputs(board)
    assert lit(board) == {"red", "shoe_lock"}
    lights.light("green")
    lights.unlock()
    lights.hold_lamp(True)
    assert lit(board) == {"green", "hold"}
    lights.stop()
    assert lit(board) == {"red", "shoe_lock"}
    assert board.factory().pin(17).function == "output"
    lights.release()
    assert board.factory().pin(17).function == "input"


@pytest.mark.parametrize("light", ["red", "yellow", "green", "off"])
def test_one_colour_at_a_time(board: SimulatedBoard, light: Light) -> None:
    lights = outputs(board)
    for before in ("red", "yellow", "green"):
        lights.light(before)
        lights.light(light)
        assert lit(board) - {"shoe_lock"} == {light} - {"off"}


@pytest.mark.parametrize(
    ("safe", "names"),
    [
        ({"safe_light": "off", "safe_hold": True, "safe_locked": False}, {"hold"}),
        ({"safe_light": "yellow"}, {"yellow", "shoe_lock"}),
    ],
)
def test_the_safe_state_is_a_setting(board: SimulatedBoard, safe: dict[str, Any], names: set[str]) -> None:
    pins = GpioLights(red=17, yellow=27, green=22, hold=23, shoe_lock=25, active="low", **safe)
    outputs(board, pins)
    assert lit(board, pins) == names


def test_whoever_outlives_the_daemon_puts_the_outputs_into_the_safe_state(board: SimulatedBoard) -> None:
    outputs(board).light("green")
    board.kill_users()
    assert "green" in lit(board)
    put_safe(PINS, board.factory)
    assert lit(board) == {"red", "shoe_lock"}


def test_one_pin_that_cannot_be_had_keeps_no_other_from_the_safe_state(board: SimulatedBoard) -> None:
    outputs(board).light("green")
    board.kill_users()
    taken = DigitalOutputDevice(17, pin_factory=board.factory())
    with pytest.raises(PinsUnusable, match="GPIO17"):
        put_safe(PINS, board.factory)
    assert "green" not in lit(board)
    assert "shoe_lock" in lit(board)
    taken.close()


def test_the_buzzer_sounds_and_falls_silent(board: SimulatedBoard) -> None:
    lights = outputs(board)
    lights.buzz(20, 10, times=2)
    buzzer = board.factory().pin(24)
    until(lambda: [state.state for state in buzzer.states].count(True) == 2 and not buzzer.state)
    lights.release()


def test_outputs_that_the_table_has_not_are_left_alone(board: SimulatedBoard) -> None:
    lights = outputs(board, GpioLights(red=17))
    assert not lights.has_lock
    lights.lock()
    lights.buzz(10)
    lights.light("green")
    assert lights.state.writes_failed == 0
    assert not board.output(17)


def test_a_failing_board_never_raises_is_counted_and_taken_up_later(board: SimulatedBoard) -> None:
    board.broken = True
    lights = outputs(board)
    lights.light("green")
    assert not lights.state.connected
    assert lights.state.writes_failed > 0
    assert lights.state.last_error is not None
    assert "GPIO chip is gone" in lights.state.last_error
    board.broken = False
    lights.light("green")
    assert "green" in lit(board)
    pin = board.factory().pin(27)
    pin._set_state = _fails
    lights.light("yellow")
    assert lights.state.last_error is not None
    assert "yellow" in lights.state.last_error


def test_without_a_board_the_message_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gpiozero.pins.lgpio", None)
    board_factory.cache_clear()
    with pytest.raises(PinsUnusable, match="no usable GPIO chip"):
        board_factory()


def test_gpiozero_is_imported_by_this_room_only() -> None:
    program = (
        "import sys, drivers.angel_eye.driver, drivers.angel_eye.simulator, drivers.line_driver;"
        "import drivers.registry; drivers.registry.devices();"
        "print(*sorted({'gpiozero', 'lgpio', 'cv2', 'zxingcpp', 'pyzbar'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == ""
