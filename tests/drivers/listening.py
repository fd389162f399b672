"""What the shell does with a driver, small enough for a test: a queue of what it said."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from drivers.ports import Accepted, Answer, Driver, Received
from drivers.readings import Reading
from tests.harness.patience import PATIENCE_S, Patience

ReadingT = TypeVar("ReadingT", bound=Reading)


class Listener:
    """Takes readings in order; acknowledges each as it is taken, unless told otherwise."""

    def __init__(self, driver: Driver, answer: Answer | None = None) -> None:
        self.driver = driver
        self.answer = answer if answer is not None else Accepted()
        self.silent = False
        self._queue: queue.Queue[Received] = queue.Queue()

    def deliver(self, received: Received) -> None:
        self._queue.put(received)

    def take(self) -> Received:
        """The next reading, whatever it is."""
        received = self._queue.get(timeout=PATIENCE_S)
        if not self.silent:
            self.driver.acknowledge(received, self.answer)
        return received

    def reading(self) -> Reading:
        return self.take().reading

    def next(self, kind: type[ReadingT]) -> ReadingT:
        """The next reading, which is of this kind."""
        reading = self.reading()
        assert isinstance(reading, kind), reading
        return reading

    def take_until(self, kind: type[Reading]) -> Received:
        """The next reading of this kind; those before it are acknowledged and dropped."""
        patience = Patience()
        while not patience.over:
            received = self.take()
            if isinstance(received.reading, kind):
                return received
        raise AssertionError(f"no {kind.__name__} came")

    def is_quiet(self) -> bool:
        return self._queue.empty()


@contextmanager
def listening(driver: Driver, answer: Answer | None = None) -> Iterator[Listener]:
    """Start a driver and stop it at the end."""
    listener = Listener(driver, answer)
    driver.start(listener.deliver)
    try:
        yield listener
    finally:
        driver.stop()
