"""Where the loop waits: for what other threads bring, and for its ports, which it reads itself."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from controller.shell.inlet import Inlet
from controller.shell.loop import AWAY_S as AWAY_WITHOUT_CARDS_S
from controller.shell.loop import AWAY_WITH_CARDS_S
from drivers.bee_tek.simulator import SimulatedBeeTek
from drivers.keypad.simulator import Keypad
from drivers.serial_port import PortDriver
from tests.harness.bench import Bench
from tests.harness.patience import Patience
from tests.harness.whole import PANEL, must, whole
from tests.shell.attending import AWAY_S, LONG_S, MOST


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


class Asked:
    """A source that is closed, and hears how long who waits will be away."""

    def __init__(self) -> None:
        self.away_s: list[float] = []

    def attend(self, away_s: float) -> int | None:
        self.away_s.append(away_s)
        return None

    def read(self) -> None:
        raise AssertionError("there is nothing to read")

    def leave(self) -> None:
        raise AssertionError("nobody was here")


def test_with_cards_to_come_the_loop_is_not_away_for_long() -> None:
    asked = Asked()
    bench = Bench(sources=[asked])
    bench.load()
    assert set(asked.away_s) == {AWAY_WITHOUT_CARDS_S}
    bench.open()
    asked.away_s.clear()
    bench.step()
    assert set(asked.away_s) == {AWAY_WITH_CARDS_S}
    assert AWAY_WITH_CARDS_S < AWAY_WITHOUT_CARDS_S


def test_the_table_reads_its_ports_in_the_thread_that_owns_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, threads = PortDriver._take, list[str]()

    def noted(port: PortDriver[object], chunk: bytes, now: int) -> None:
        threads.append(threading.current_thread().name)
        take(port, chunk, now)

    monkeypatch.setattr(PortDriver, "_take", noted)
    with (
        SimulatedBeeTek(tmp_path / "shoe"),
        Keypad(tmp_path / "keypad") as keypad,
        whole(tmp_path, '[devices.shoe]\ndriver = "bee-tek"\nport = "{folder}/shoe"\n' + PANEL),
    ):
        patience = Patience()
        while "table" not in threads and not patience.over:
            must(keypad, "SHOE 416")  # where the table is late with its own work, another thread reads
    assert "table" in threads
