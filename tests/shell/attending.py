"""A port that is read by whoever waits for it: what is plugged in, and who waits."""

from __future__ import annotations

import os
import select
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.shell.inlet import Inlet
from drivers.framing import LineFraming
from drivers.keypad import KeypadPanel
from drivers.keypad.simulator import Keypad
from drivers.line_driver import LineListener
from drivers.ports import Received, Source
from drivers.readings import DeviceReachable, ProcessReported, Reading
from drivers.settings import DriverContext, PortTimes
from tests.harness.patience import PATIENCE_S, Patience

MOST = 512
LONG_S = 60.0
"""Nobody may wait so long here."""
AWAY_S = 0.02
"""So long nobody reads what comes while who waits is away."""


def panel(port: str, context: DriverContext) -> LineListener:
    """The driver of a keypad."""
    driver = KeypadPanel(port=port).driver("panel", context)
    assert isinstance(driver, LineListener)
    return driver


class Station:
    """A keypad whose port is read through an inlet; who handed on what is kept."""

    def __init__(self, keypad: Keypad, deliver: Callable[[Received], None] = lambda received: None) -> None:
        self.keypad = keypad
        self.driver = panel(keypad.path, QUICK)
        self.inlet: Inlet[Received] = Inlet([self.driver])
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


QUICK = DriverContext(times=PortTimes(first_pause_s=0.01, longest_pause_s=0.05, tick_s=0.02))


@contextmanager
def station(folder: Path, deliver: Callable[[Received], None] = lambda received: None) -> Iterator[Station]:
    with Keypad(folder / "keypad") as keypad:
        made = Station(keypad, deliver)
        made.driver.start(made.deliver)
        try:
            made.next_of(DeviceReachable)
            yield made
        finally:
            made.driver.stop()


def attended(source: Source, away_s: float = AWAY_S) -> int:
    """Attend the port; where it was just being opened, as soon as it is."""
    patience = Patience()
    while (number := source.attend(away_s)) is None:
        assert not patience.over, "the port is not open"
        os.sched_yield()  # who opens it needs the interpreter
    return number


def lies_at(number: int, keypad: Keypad, line: str) -> None:
    """Send a line and wait until it is there to be read; the kernel takes its time."""
    keypad.send(line)
    assert select.select([number], [], [], PATIENCE_S)[0]


@contextmanager
def scanner(folder: Path, tick_s: float, silence_s: float) -> Iterator[tuple[LineListener, Keypad]]:
    """A port whose codes only silence ends, not yet started, and what is plugged into it."""
    driver = LineListener(
        "shoe",
        KeypadPanel(port=str(folder / "keypad")),
        LineFraming("none"),
        lambda body: ProcessReported(body.decode()),
        may_be_card=True,
        times=PortTimes(tick_s=tick_s, silence_s=silence_s),
    )
    with Keypad(folder / "keypad") as keypad:
        try:
            yield driver, keypad
        finally:
            driver.stop()
