"""The loop reads ports itself while it waits: in its own thread, in order, each byte once, and never for long
what nobody reads.
"""

from __future__ import annotations

import os
import queue
import random
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.shell.inlet import Inlet
from drivers.bee_tek.simulator import BeeTekShoe
from drivers.framing import LineFraming
from drivers.line_driver import LineListener
from drivers.panel.keypad.driver import KeypadDriver
from drivers.panel.keypad.simulator import Keypad
from drivers.ports import Received
from drivers.readings import DeviceLost, DeviceRestored, KeyPressed, ProcessReported, Reading
from drivers.serial_line import LineSettings
from drivers.serial_port import SerialPort
from tests.drivers.listening import PATIENCE_S
from tests.shell.whole import PANEL, must, whole

MOST = 512
LONG_S = 60.0
"""Nobody may wait so long here."""
AWAY_S = 0.02
"""So long nobody reads what comes while who waits is away."""


class Station:
    """A keypad whose port is read through an inlet; who handed on what is kept."""

    def __init__(self, keypad: Keypad, deliver: Callable[[Received], None] = lambda received: None) -> None:
        self.keypad = keypad
        self.driver = KeypadDriver("panel", quick(keypad.path))
        self.inlet: Inlet[Received] = Inlet([self.driver.source])
        self.threads: list[threading.Thread] = []
        self._first = deliver
        self.waiting: list[Received] = []

    def deliver(self, received: Received) -> None:
        self._first(received)
        self.threads.append(threading.current_thread())
        self.inlet.put(received)

    def next(self) -> Reading:
        """The next reading, waited for as the loop waits."""
        while not self.waiting:
            self.waiting = self.inlet.take(lambda: LONG_S, MOST, AWAY_S)
        return self.waiting.pop(0).reading

    def waited(self) -> Reading:
        """The next reading that others hand on; nobody reads the port here."""
        while self.inlet.empty():
            os.sched_yield()
        return self.inlet.take(lambda: LONG_S, 1, AWAY_S)[0].reading

    def next_of(self, kind: type[Reading]) -> Reading:
        """The next one of a kind."""
        while not isinstance(reading := self.next(), kind):
            pass
        return reading


def quick(path: str | Path) -> LineSettings:
    return LineSettings(str(path), first_pause_s=0.01, longest_pause_s=0.05, tick_s=0.02)


@contextmanager
def station(folder: Path, deliver: Callable[[Received], None] = lambda received: None) -> Iterator[Station]:
    with Keypad(folder / "keypad") as keypad:
        made = Station(keypad, deliver)
        made.driver.start(made.deliver)
        try:
            made.next_of(DeviceRestored)
            yield made
        finally:
            made.driver.stop()


def attended(made: Station, away_s: float = AWAY_S) -> int:
    """Attend the port; where it was just being opened, as soon as it is."""
    ends_s = time.monotonic() + PATIENCE_S
    while (number := made.driver.source.attend(away_s)) is None:
        assert time.monotonic() < ends_s, "the port is not open"
        os.sched_yield()  # who opens it needs the interpreter
    return number


def test_what_another_thread_brings_wakes_who_waits() -> None:
    inlet: Inlet[str] = Inlet()
    taken: list[str] = []
    waiting = threading.Thread(target=lambda: taken.extend(inlet.take(lambda: LONG_S, MOST, AWAY_S)))
    waiting.start()
    inlet.put("brought")
    waiting.join(LONG_S / 2)
    assert taken == ["brought"]


def test_what_is_brought_between_the_look_and_the_wait_is_not_waited_for() -> None:
    inlet: Inlet[str] = Inlet()

    def longest_s() -> float:
        inlet.put("in between")  # nobody waits yet, so no bell is rung
        return LONG_S

    taken: list[str] = []
    waiting = threading.Thread(target=lambda: taken.extend(inlet.take(longest_s, MOST, AWAY_S)))
    waiting.start()
    waiting.join(LONG_S / 2)
    assert taken == ["in between"]


def test_a_signal_handler_may_bring_something_to_its_own_thread() -> None:
    inlet: Inlet[str] = Inlet()
    before = signal.signal(signal.SIGUSR1, lambda *_: inlet.put("stop"))
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1)).start()
        assert inlet.take(lambda: LONG_S, MOST, AWAY_S) == ["stop"]
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_what_is_there_is_taken_in_order_and_not_more_than_wanted() -> None:
    inlet: Inlet[int] = Inlet()
    for number in range(5):
        inlet.put(number)
    assert inlet.take(lambda: LONG_S, 3, AWAY_S) == [0, 1, 2]
    assert not inlet.empty()
    assert inlet.take(lambda: LONG_S, 3, AWAY_S) == [3, 4]
    assert inlet.empty()
    assert inlet.take(lambda: 0.0, 3, AWAY_S) == []


def test_an_inlet_that_nobody_needs_any_more_keeps_no_descriptor() -> None:
    inlet: Inlet[str] = Inlet()
    bell, kind = inlet._bell, os.fstat(inlet._bell)
    del inlet
    try:
        now = os.fstat(bell)
    except OSError:
        return
    assert os.readlink(f"/proc/self/fd/{bell}") != "anon_inode:[eventfd]" or now.st_ino != kind.st_ino


def test_who_waits_reads_the_port_in_its_own_thread(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made)  # the port's own thread stands back from here
        made.threads.clear()
        for _ in range(20):
            made.keypad.send("OPEN")
            assert made.next() == KeyPressed("OPEN", "OPEN", ())
            attended(made)
        assert set(made.threads) == {threading.current_thread()}


def test_what_comes_while_who_waited_is_away_is_read_all_the_same(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made)
        made.driver.source.leave()
        came = threading.Event()
        made.inlet.put = lambda item: came.set()  # type: ignore[method-assign]  # who takes is away, as in a slow sync
        made.keypad.send("OPEN")
        assert came.wait(PATIENCE_S)
        assert made.threads[-1] is not threading.current_thread()


def test_a_read_that_finds_nothing_is_no_port_that_is_gone(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        for _ in range(3):
            made.driver.source.read()
        made.keypad.send("OPEN")
        assert made.next() == KeyPressed("OPEN", "OPEN", ())
        assert made.driver.state.losses == 0


def test_whoever_reads_every_line_comes_once_and_in_order(tmp_path: Path) -> None:
    lines, chance = [f"BURN {number}" for number in range(1, 501)], random.Random(11)
    with station(tmp_path) as made:
        sending = threading.Thread(target=lambda: [made.keypad.send(line) for line in lines])
        sending.start()
        heard: list[str] = []
        while len(heard) < len(lines):
            if chance.random() < 0.5:
                attended(made)
                made.driver.source.leave()  # seen by the port's own thread, or not
            reading = made.next()
            assert isinstance(reading, KeyPressed)
            heard.append(reading.line)
        sending.join()
        assert heard == lines
        assert made.driver.state.frames_in == len(lines)


def test_a_port_that_vanishes_while_it_is_waited_for_is_told_once_and_found_again(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        for _ in range(3):
            attended(made)
            made.keypad.unplug()
            assert isinstance(made.next(), DeviceLost)
            made.keypad.replug()
            assert isinstance(made.next(), DeviceRestored)
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
        attended(made)
        made.keypad.send("OPEN")
        assert isinstance(made.next(), DeviceLost)
        assert isinstance(made.next(), DeviceRestored)
        made.keypad.send("CLOSE")
        assert made.next() == KeyPressed("CLOSE", "CLOSE", ())
    assert "starts anew" in caplog.text


def test_nothing_is_handed_on_after_the_stop_and_nobody_waits_for_the_port(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made)
        made.driver.stop()
        made.keypad.send("OPEN")
        made.driver.source.read()
        assert made.driver.source.attend(AWAY_S) is None
        assert made.inlet.take(lambda: 0.0, MOST, AWAY_S) == []
        made.driver.start(made.deliver)
        assert isinstance(made.next(), DeviceRestored)


def test_what_came_while_who_waited_was_away_is_kept_though_the_port_is_stopped_then(tmp_path: Path) -> None:
    driver = KeypadDriver("panel", LineSettings(str(tmp_path / "keypad"), tick_s=LONG_S))
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    with Keypad(tmp_path / "keypad") as keypad:
        for _ in range(20):
            driver.start(heard.put)
            assert isinstance(heard.get(timeout=PATIENCE_S).reading, DeviceRestored)
            number = None
            while number is None:
                number = driver.source.attend(LONG_S)
            keypad.send("CLOSE")  # the port's own thread looks up, and stands back for long
            select.select([number], [], [], PATIENCE_S)
            driver.source.read()
            assert heard.get(timeout=PATIENCE_S).reading == KeyPressed("CLOSE", "CLOSE", ())
            driver.source.leave()
            keypad.send("OPEN")
            driver.stop()
            assert heard.get_nowait().reading == KeyPressed("OPEN", "OPEN", ())


def test_a_port_that_was_found_again_is_read_though_who_waits_attends_the_one_before(tmp_path: Path) -> None:
    with station(tmp_path) as made:
        attended(made, LONG_S)
        made.keypad.unplug()
        made.driver.source.read()  # who waits finds that it is gone, and goes on waiting for the old one
        made.keypad.replug()
        assert isinstance(made.waited(), DeviceLost)
        assert isinstance(made.waited(), DeviceRestored)
        made.keypad.send("OPEN")
        assert made.waited() == KeyPressed("OPEN", "OPEN", ())


def test_what_waits_unread_is_no_silence(tmp_path: Path) -> None:
    """Half a code is read, and the rest lies at the port for longer than a silence."""
    line = LineSettings(str(tmp_path / "keypad"), tick_s=0.2, silence_s=0.05)
    driver = LineListener(
        "shoe", line, LineFraming("none"), lambda body: ProcessReported(body.decode()), may_be_card=True
    )
    heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
    with Keypad(tmp_path / "keypad") as keypad:
        driver.start(heard.put)
        assert isinstance(heard.get(timeout=PATIENCE_S).reading, DeviceRestored)
        for _ in range(10):
            number = None
            while number is None:
                number = driver.source.attend(0.2)
            keypad.send("8S")
            select.select([number], [], [], PATIENCE_S)
            driver.source.read()
            keypad.send("7H")
            driver.source.leave()
            assert heard.get(timeout=PATIENCE_S).reading == ProcessReported("8S\n7H\n")
        driver.stop()


def test_silence_ends_a_line_that_who_waits_has_read(tmp_path: Path) -> None:
    """A scanner without a suffix: only silence ends its code."""
    line = LineSettings(str(tmp_path / "keypad"), tick_s=0.02, silence_s=0.05)
    driver = LineListener(
        "shoe", line, LineFraming("none"), lambda body: ProcessReported(body.decode()), may_be_card=True
    )
    inlet: Inlet[Received] = Inlet([driver.source])
    heard: list[Reading] = []

    def wait_for(number: int) -> None:
        while len(heard) < number:
            heard.extend(received.reading for received in inlet.take(lambda: LONG_S, MOST, AWAY_S))

    with Keypad(tmp_path / "keypad") as keypad:
        driver.start(inlet.put)
        wait_for(1)
        keypad.send("8S")
        wait_for(2)
        driver.stop()
    assert heard[1:] == [ProcessReported("8S\n")]


def test_the_table_reads_its_ports_in_the_thread_that_owns_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, threads = SerialPort._take, list[str]()

    def noted(port: SerialPort[object], chunk: bytes, now: int) -> None:
        threads.append(threading.current_thread().name)
        take(port, chunk, now)

    monkeypatch.setattr(SerialPort, "_take", noted)
    with (
        BeeTekShoe(tmp_path / "shoe"),
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n' + PANEL),
    ):
        must(keypad, *["SHOE 416"] * 10)
    assert "table" in threads
