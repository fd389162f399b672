"""The serial port on real pseudo-terminals: vanishing, returning, another device under the path, held,
partial lines.
"""

from __future__ import annotations

import errno
import fcntl
import gc
import os
import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import serial

from drivers.errors import DeviceFault
from drivers.keypad import KEYPAD, KeypadPanel
from drivers.keypad.simulator import Keypad
from drivers.line_driver import LineDriver
from drivers.ports import Received
from drivers.readings import DeviceReachable, DeviceUnreachable, KeyPressed, Unreadable
from drivers.serial_line import open_port, port_error
from drivers.settings import PortTimes
from tests.drivers.listening import Listener, listening
from tests.harness.process import Program, until

PAUSE_S = 60.0
"""What nobody may wait out: far longer than any machine takes for what is done meanwhile."""


QUICK = PortTimes(first_pause_s=0.01, longest_pause_s=0.05, tick_s=0.02)


def at(path: str | Path) -> KeypadPanel:
    return KeypadPanel(port=str(path))


def keypad_with(path: str | Path, times: PortTimes) -> LineDriver:
    return LineDriver("panel", at(path), KEYPAD, KeyPressed, times)


def keypad_at(path: str | Path) -> LineDriver:
    return keypad_with(path, QUICK)


def test_another_device_under_the_same_path_is_noticed_while_the_old_one_still_answers(
    tmp_path: Path,
) -> None:
    link = tmp_path / "keypad"
    with Keypad() as old, Keypad() as new:
        link.symlink_to(old.path)
        with listening(keypad_at(link)) as heard:
            first = heard.reading()
            old.send("OPEN")
            assert isinstance(heard.reading(), KeyPressed)
            fresh = tmp_path / "fresh"
            fresh.symlink_to(new.path)
            fresh.replace(link)
            assert "another device" in heard.next(DeviceUnreachable).reason
            restored = heard.next(DeviceReachable)
            assert isinstance(first, DeviceReachable)
            assert restored.replaced
            assert restored.identity != first.identity
            old.send("HOLD")
            new.send("CLOSE")
            assert heard.reading() == KeyPressed("CLOSE", "CLOSE", ())


def test_a_link_that_is_gone_does_not_end_a_port_that_still_answers(tmp_path: Path) -> None:
    link = tmp_path / "keypad"
    with Keypad() as keypad:
        link.symlink_to(keypad.path)
        with listening(keypad_at(link)) as heard:
            heard.reading()
            link.unlink()
            looked_ns = time.monotonic_ns() + 700_000_000
            while time.monotonic_ns() < looked_ns:
                keypad.send("OPEN")
                assert isinstance(heard.reading(), KeyPressed)


BELOW = 60
"""Numbers that other programs are given first: Linux gives the lowest that is free."""


@contextmanager
def terminals(count: int) -> Iterator[None]:
    """So many pseudo-terminals of another program."""
    made = [os.openpty() for _ in range(count)]
    yield
    for fd in sum(made, ()):
        os.close(fd)


def same_number(path: str) -> tuple[int, int]:
    """A pseudo-terminal of another program that was given this number, when it was free again."""
    others: list[tuple[int, int]] = []
    until(lambda: others and os.ttyname(others[-1][1]) == path, step=lambda: others.append(os.openpty()))
    taken = others.pop()
    for fd in sum(others, ()):
        os.close(fd)
    return taken


@pytest.mark.parametrize("linked", [False, True])
def test_who_is_given_the_number_of_a_terminal_that_is_gone_is_left_alone(
    tmp_path: Path, linked: bool
) -> None:
    with terminals(BELOW):
        keypad = Keypad()
    with keypad:
        number = keypad.path
        path = tmp_path / "keypad" if linked else Path(number)
        if linked:
            path.symlink_to(number)
        with listening(keypad_at(path)) as heard:
            heard.reading()
            born_ns = os.stat(number).st_ctime_ns
            until(lambda: time.time_ns() > born_ns + 20_000_000, "the system's clock for files ticks")
            keypad.stop()
            heard.next(DeviceUnreachable)
            master, slave = same_number(number)
            until(lambda: "given the number" in str(heard.driver.state.last_error))
            with os.fdopen(os.dup(slave), "rb") as theirs:
                fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if linked:
                with Keypad() as new:
                    fresh = tmp_path / "fresh"
                    fresh.symlink_to(new.path)
                    fresh.replace(path)
                    assert isinstance(heard.reading(), DeviceReachable)
            os.close(slave)
            os.close(master)


def test_a_plug_is_pulled_and_put_back_beside_a_program_that_opens_terminals_all_the_time(
    tmp_path: Path,
) -> None:
    """Whoever is given the old number is not spoken to, and the device is found under its new one."""
    stranger = Program([sys.executable, "-m", "tests.harness.terminals"], tmp_path / "stranger.log")
    link = tmp_path / "keypad"
    with stranger, Keypad(link) as keypad, listening(keypad_at(link)) as heard:
        for _ in range(20):
            heard.next(DeviceReachable)
            keypad.send("OPEN")
            assert heard.reading() == KeyPressed("OPEN", "OPEN", ())
            keypad.unplug()
            heard.next(DeviceUnreachable)
            keypad.replug()
        assert stranger.stop() == 0
    [opened] = re.findall(r"opened (\d+) terminals", stranger.printed)
    assert int(opened) > 0


def test_a_port_held_by_another_program_is_named_and_taken_when_it_is_free(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad:
        other = serial.Serial(keypad.path, exclusive=True)
        with listening(keypad_at(keypad.path)) as heard:
            assert "another program holds the port" in heard.next(DeviceUnreachable).reason
            other.close()
            assert isinstance(heard.reading(), DeviceReachable)


def test_the_port_is_locked_against_others_and_free_after_stop(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad:
        with listening(keypad_at(keypad.path)) as heard:
            heard.reading()
            with pytest.raises(DeviceFault, match=r"keypad: another program"):
                open_port(at(keypad.path))
            other = os.open(keypad.path, os.O_RDONLY | os.O_NOCTTY)
            with os.fdopen(other, "rb") as port, pytest.raises(BlockingIOError):
                fcntl.flock(port, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the lock that other careful programs see
        open_port(at(keypad.path)).close()


MISSING, FORBIDDEN, UNUSABLE = "no device there", "this user may not", "not usable as a serial port"
HELD = "another program holds the port"


def test_what_is_wrong_with_a_path_is_said(tmp_path: Path) -> None:
    plain = tmp_path / "file"
    plain.write_text("no port")
    for path, why in ((tmp_path / "none", MISSING), (plain / "below", MISSING), (plain, UNUSABLE)):
        with pytest.raises(DeviceFault, match=f"^{path}: {why}"):
            open_port(at(path))


@pytest.mark.parametrize(
    ("number", "why"),
    [
        (errno.ENOENT, MISSING),
        (errno.ENXIO, MISSING),
        (errno.EACCES, FORBIDDEN),
        (errno.EAGAIN, HELD),
        (errno.EBUSY, HELD),
        (errno.EIO, UNUSABLE),
        (None, UNUSABLE),
    ],
)
def test_each_error_number_of_an_opening_has_its_name(number: int | None, why: str) -> None:
    problem = serial.SerialException("x") if number is None else serial.SerialException(number, "x")
    assert str(port_error("/dev/ttyUSB0", problem)).startswith(f"/dev/ttyUSB0: {why}")


def test_a_line_cut_by_an_unplugging_is_noise_and_not_the_beginning_of_the_next(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad, listening(keypad_at(keypad.path)) as heard:
        heard.reading()
        keypad.send_raw(b"VOI")
        until(lambda: heard.driver.state.bytes_in >= 3)
        keypad.unplug()
        cut = heard.take()
        assert isinstance(cut.reading, Unreadable)
        assert cut.raw == b"VOI"
        assert isinstance(heard.reading(), DeviceUnreachable)
        keypad.replug()
        assert isinstance(heard.reading(), DeviceReachable)
        keypad.send("OPEN")
        assert heard.reading() == KeyPressed("OPEN", "OPEN", ())


def test_an_answer_never_goes_to_a_younger_connection(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad, listening(keypad_at(keypad.path)) as heard:
        heard.reading()
        heard.silent = True
        keypad.send("OPEN")
        before = heard.take()
        keypad.unplug()
        heard.take_until(DeviceUnreachable)
        keypad.replug()
        heard.take_until(DeviceReachable)
        heard.driver.acknowledge(before, heard.answer)
        heard.silent = False
        assert keypad.press("CLOSE", timeout_s=0) is None
        assert isinstance(heard.reading(), KeyPressed)
        assert keypad.answer() == "OK"
        assert keypad.answers == ["OK"]


def test_stop_is_prompt_closes_everything_and_ends_the_thread(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad:
        driver = keypad_with(keypad.path, PortTimes(tick_s=PAUSE_S))
        gc.collect()  # what an earlier test left open is closed before it is counted
        before = set(os.listdir("/proc/self/fd"))
        listener = Listener(driver)
        driver.start(listener.deliver)
        listener.reading()
        begun = time.monotonic()
        driver.stop()
        driver.stop()
        assert time.monotonic() - begun < PAUSE_S / 2
        assert set(os.listdir("/proc/self/fd")) == before
        assert not driver.state.connected


def test_stop_does_not_wait_for_the_pause_between_tries(tmp_path: Path) -> None:
    driver = keypad_with(tmp_path / "none", PortTimes(first_pause_s=PAUSE_S, longest_pause_s=PAUSE_S))
    listener = Listener(driver)
    driver.start(listener.deliver)
    listener.reading()
    begun = time.monotonic()
    driver.stop()
    assert time.monotonic() - begun < PAUSE_S / 2


def test_a_device_that_takes_nothing_does_not_block_and_is_counted(tmp_path: Path) -> None:
    master, slave = os.openpty()
    try:
        port = keypad_at(os.ttyname(slave))
        port.start(lambda received: None)
        until(lambda: port.state.connected)
        until(lambda: not port.write(b"x" * 1000), step=lambda: None)
        state = port.state
        assert state.writes_failed == 1
        assert state.bytes_out > 0
        assert state.last_error is not None
        port.stop()
        assert not port.write(b"x")
    finally:
        os.close(slave)
        os.close(master)


def test_a_shell_that_fails_does_not_end_the_port(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Keypad(tmp_path / "keypad") as keypad:
        driver = keypad_at(keypad.path)
        listener = Listener(driver)
        failures = [RuntimeError("a fault of the shell")]

        def deliver(received: Received) -> None:
            if isinstance(received.reading, KeyPressed) and failures:
                raise failures.pop()
            listener.deliver(received)

        driver.start(deliver)
        try:
            listener.take_until(DeviceReachable)
            keypad.send("OPEN")
            assert isinstance(listener.reading(), DeviceUnreachable)
            listener.take_until(DeviceReachable)
            keypad.send("CLOSE")
            assert isinstance(listener.reading(), KeyPressed)
        finally:
            driver.stop()
        assert "starts anew" in caplog.text


def test_lines_are_stamped_with_the_moment_of_reading(tmp_path: Path) -> None:
    with Keypad(tmp_path / "keypad") as keypad, listening(keypad_at(keypad.path)) as heard:
        heard.reading()
        before = time.monotonic_ns()
        keypad.send("OPEN")
        received = heard.take()
        assert before <= received.monotonic_ns <= time.monotonic_ns()
        assert received.device == "panel"
        assert received.number is None
        assert received.raw == b"OPEN\n"
