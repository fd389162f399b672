"""Is there an Angel Eye shoe at this port? It answers a question, which changes nothing at the shoe."""

from __future__ import annotations

import queue
import time

from drivers.angel_eye import AngelEyeShoe
from drivers.ports import Received
from drivers.readings import CommandAnswered, DeviceUnreachable, ProcessReported
from drivers.settings import DriverContext

BAUD_RATES = (4800, 9600, 19200)
ANSWER_S = 0.4


def answering_speed(port: str) -> int | None:
    """Ask at each speed for the shoe's process; the speed at which it answers, None if nothing does."""
    for baud_rate in BAUD_RATES:
        settings = AngelEyeShoe(
            port=port, baud_rate=baud_rate, command_timeout_ms=round(ANSWER_S * 1000), command_tries=1
        )
        driver = settings.driver("setup", DriverContext())
        heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
        driver.start(heard.put)
        try:
            answer = _answer(heard)
        finally:
            driver.stop()
        if answer is None:
            return None
        if answer:
            return baud_rate
    return None


def _answer(heard: queue.SimpleQueue[Received]) -> bool | None:
    """Whether the shoe answered; None if the port cannot be used."""
    until = time.monotonic() + 3 * ANSWER_S
    while (left := until - time.monotonic()) > 0:
        try:
            received = heard.get(timeout=left)
        except queue.Empty:
            break
        if received.number is not None or isinstance(received.reading, ProcessReported):
            return True
        if isinstance(received.reading, CommandAnswered):
            return received.reading.ok or received.reading.code is not None
        if isinstance(received.reading, DeviceUnreachable):
            return None
    return False
