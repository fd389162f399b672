"""A port whose thread stands back while another reads: each byte once, in order, and nothing lies unread for
long.
"""

from __future__ import annotations

import queue
import random
import select
import threading
from pathlib import Path

import pytest

from controller.shell.inlet import Inlet
from drivers.keypad.simulator import Keypad
from drivers.ports import Received
from drivers.readings import DeviceReachable, DeviceUnreachable, KeyPressed, ProcessReported, Reading
from drivers.settings import DriverContext, PortTimes
from tests.harness.patience import PATIENCE_S, Patience
from tests.shell.attending import AWAY_S, LONG_S, MOST, attended, lies_at, panel, scanner, station

SLOW = DriverContext(times=PortTimes(tick_s=LONG_S))


def test_who_waits_reads_the_port_in_its_own_thread(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made.driver)  # the port's own thread stands back from here
        made.threads.clear()
        for _ in range(20):
            made.keypad.send("OPEN")
            assert made.next() == KeyPressed("OPEN", "OPEN", ())
            attended(made.driver)
        assert set(made.threads) == {threading.current_thread()}


def test_what_comes_while_who_waited_is_away_is_read_all_the_same(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made.driver)
        made.driver.leave()
        came = threading.Event()
        made.inlet.put = lambda item: came.set()  # type: ignore[method-assign]  # who takes is away, as in a slow sync
        made.keypad.send("OPEN")
        assert came.wait(PATIENCE_S)
        assert made.threads[-1] is not threading.current_thread()


def test_a_read_that_finds_nothing_is_no_port_that_is_gone(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        for _ in range(3):
            made.driver.read()
        made.keypad.send("OPEN")
        assert made.next() == KeyPressed("OPEN", "OPEN", ())
        assert made.driver.state.losses == 0


def test_whoever_reads_every_line_comes_once_and_in_order(tmp_path: Path) -> None:
    lines, chance = [f"SHOE {number}" for number in range(1, 501)], random.Random(11)
    with station(tmp_path) as made:
        sending = threading.Thread(target=lambda: [made.keypad.send(line) for line in lines])
        sending.start()
        heard: list[str] = []
        while len(heard) < len(lines):
            if chance.random() < 0.5:
                attended(made.driver)
                made.driver.leave()  # seen by the port's own thread, or not
            reading = made.next()
            assert isinstance(reading, KeyPressed)
            heard.append(reading.line)
        sending.join()
        assert heard == lines
        assert made.driver.state.frames_in == len(lines)


def test_what_one_has_read_is_handed_on_before_another_reads(tmp_path: Path) -> None:
    inside, go_on, heard = threading.Event(), threading.Event(), list[Reading]()

    def deliver(received: Received) -> None:
        if received.reading == KeyPressed("CLOSE", "CLOSE", ()):
            inside.set()
            assert go_on.wait(PATIENCE_S)
        heard.append(received.reading)

    with station(tmp_path, deliver) as made:
        number = attended(made.driver)
        first, second = (threading.Thread(target=made.driver.read) for _ in range(2))
        lies_at(number, made.keypad, "CLOSE")
        first.start()
        assert inside.wait(PATIENCE_S)
        lies_at(number, made.keypad, "OPEN")
        second.start()
        second.join(0.1)  # it would come through in this time
        go_on.set()
        first.join()
        second.join()
        assert heard[1:] == [KeyPressed("CLOSE", "CLOSE", ()), KeyPressed("OPEN", "OPEN", ())]


def test_a_port_that_vanishes_while_it_is_waited_for_is_told_once_and_found_again(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        for _ in range(3):
            attended(made.driver)
            made.keypad.unplug()
            assert isinstance(made.next(), DeviceUnreachable)
            made.keypad.replug()
            assert isinstance(made.next(), DeviceReachable)
            made.keypad.send("OPEN")
            assert made.next() == KeyPressed("OPEN", "OPEN", ())
        assert made.driver.state.losses == 3


def test_who_waits_does_not_die_of_a_fault_in_the_driver(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    failures = [RuntimeError("a fault of the shell")]

    def deliver(received: Received) -> None:
        if isinstance(received.reading, KeyPressed) and failures:
            raise failures.pop()

    with station(tmp_path, deliver) as made:
        attended(made.driver)
        made.keypad.send("OPEN")
        assert isinstance(made.next(), DeviceUnreachable)
        assert isinstance(made.next(), DeviceReachable)
        made.keypad.send("CLOSE")
        assert made.next() == KeyPressed("CLOSE", "CLOSE", ())
    assert "starts anew" in caplog.text


def test_nothing_is_handed_on_after_the_stop_and_nobody_waits_for_the_port(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made.driver)
        made.driver.stop()
        made.keypad.send("OPEN")
        made.driver.read()
        assert made.driver.attend(AWAY_S) is None
        assert made.inlet.take(lambda: 0.0, MOST, AWAY_S) == []
        made.driver.start(made.deliver)
        assert isinstance(made.next(), DeviceReachable)


def test_what_came_while_who_waited_was_away_is_kept_though_the_port_is_stopped_then(tmp_path: Path) -> None:
    driver = panel(str(tmp_path / "keypad"), SLOW)
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    with Keypad(tmp_path / "keypad") as keypad:
        for _ in range(20):
            driver.start(heard.put)
            assert isinstance(heard.get(timeout=PATIENCE_S).reading, DeviceReachable)
            number = attended(driver, LONG_S)
            lies_at(number, keypad, "CLOSE")  # the port's own thread looks up, and stands back for long
            driver.read()
            assert heard.get(timeout=PATIENCE_S).reading == KeyPressed("CLOSE", "CLOSE", ())
            driver.leave()
            keypad.send("OPEN")
            patience = Patience()
            while not select.select([number], [], [], 0.001)[0] and heard.empty():
                assert not patience.over, "it neither lies there nor was it read"
            driver.stop()
            assert heard.get_nowait().reading == KeyPressed("OPEN", "OPEN", ())


def test_nobody_is_away_for_longer_than_who_waits_has_said(tmp_path: Path) -> None:
    """However long the port's own thread may wait by itself."""
    driver = panel(str(tmp_path / "keypad"), SLOW)
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    with Keypad(tmp_path / "keypad") as keypad:
        driver.start(heard.put)
        try:
            assert isinstance(heard.get(timeout=PATIENCE_S).reading, DeviceReachable)
            for _ in range(20):
                number = attended(driver, AWAY_S)
                lies_at(number, keypad, "CLOSE")  # the port's own thread looks up, and stands back
                driver.read()
                assert heard.get(timeout=PATIENCE_S).reading == KeyPressed("CLOSE", "CLOSE", ())
                driver.leave()
                keypad.send("OPEN")
                assert heard.get(timeout=PATIENCE_S).reading == KeyPressed("OPEN", "OPEN", ())
        finally:
            driver.stop()


def test_a_port_that_was_found_again_is_read_though_who_waits_attends_the_one_before(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made.driver, LONG_S)
        made.keypad.unplug()
        made.driver.read()  # who waits finds that it is gone, and goes on waiting for the old one
        made.keypad.replug()
        assert isinstance(made.waited(), DeviceUnreachable)
        assert isinstance(made.waited(), DeviceReachable)
        made.keypad.send("OPEN")
        assert made.waited() == KeyPressed("OPEN", "OPEN", ())


def test_what_waits_unread_is_no_silence(tmp_path: Path) -> None:
    """Half a code is read, and the rest lies at the port for longer than a silence."""
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    with scanner(tmp_path, 2.0, 1.0) as (driver, keypad):
        driver.start(heard.put)
        assert isinstance(heard.get(timeout=PATIENCE_S).reading, DeviceReachable)
        for _ in range(2):
            number = attended(driver, 2.0)
            lies_at(number, keypad, "8S")
            driver.read()
            lies_at(number, keypad, "7H")
            driver.leave()
            assert heard.get(timeout=PATIENCE_S).reading == ProcessReported("8S\n7H\n")


def test_silence_ends_a_line_that_who_waits_has_read(tmp_path: Path) -> None:
    """A scanner without a suffix: only silence ends its code."""
    with scanner(tmp_path, 0.02, 0.05) as (driver, keypad):
        inlet: Inlet[Received] = Inlet([driver])
        heard: list[Reading] = []

        def wait_for(number: int) -> None:
            while len(heard) < number:
                heard.extend(received.reading for received in inlet.take(lambda: LONG_S, MOST, AWAY_S))

        driver.start(inlet.put)
        wait_for(1)
        keypad.send("8S")
        wait_for(2)
    assert heard[1:] == [ProcessReported("8S\n")]
