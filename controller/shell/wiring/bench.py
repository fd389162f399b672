"""The devices of a table on the bench: each is worked by itself, without journal, loop or round."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, cast

from controller.settings.model import Configuration
from controller.shell.wiring.devices import drivers_of, lockable, outputs_of
from controller.shoe.code_map import decode
from drivers.ports import Accepted, Driver, Light, LockableShoe, OutputDevice, Received
from drivers.reading_words import in_words
from drivers.readings import (
    BeamBroken,
    BeamRestored,
    CardNotRead,
    CardReported,
    CommandAnswered,
    DeviceReachable,
    DeviceUnreachable,
    KeyPressed,
    Reading,
    ShufflerSaid,
    Unreadable,
)
from drivers.settings import PinFactory

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
OPEN_S = 20.0
"""A camera's process needs a while for its libraries."""

What = Literal["card", "unread", "key", "broken", "free", "answered", "refused", "shuffler", "lost", "other"]
_WHAT: dict[type[Reading], What] = {
    CardNotRead: "unread",
    BeamBroken: "broken",
    BeamRestored: "free",
    ShufflerSaid: "shuffler",
    DeviceUnreachable: "lost",
}


@dataclass(frozen=True, slots=True)
class Said:
    """What a device said. ``card``, ``code``: of a card (None: the code means none); ``word``: of a key."""

    device: str
    what: What
    text: str
    card: str | None = None
    code: str | None = None
    word: str = ""


def _interrupted(number: int, _: object) -> None:
    raise KeyboardInterrupt(signal.Signals(number).name)


class Bench:
    """Drivers by their place, started one at a time; what they say goes to ``hear``, from their threads."""

    def __init__(
        self, configuration: Configuration, hear: Callable[[Said], None], pins: PinFactory | None = None
    ) -> None:
        self._configuration = configuration
        self._hear = hear
        self._pins = pins
        self._drivers = drivers_of(configuration, pins)
        self._started: list[Driver] = []
        self.outputs: OutputDevice | None = outputs_of(configuration, pins)

    def start(self, place: str) -> None:
        """Open a device, and wait until it is open or cannot be; what it says is acknowledged at once, for
        there is no record to wait for.
        """
        driver, settled = self._drivers[place], threading.Event()

        def deliver(received: Received) -> None:
            if isinstance(received.reading, DeviceReachable | DeviceUnreachable):
                settled.set()
            self._hear(self._said(received))
            driver.acknowledge(received, Accepted())

        driver.start(deliver)
        self._started.append(driver)
        settled.wait(OPEN_S)

    def stop(self) -> None:
        """Let go of all devices; outputs that were taken are left in the safe state."""
        for driver in self._started:
            driver.stop()
        self._started.clear()
        self._drivers = drivers_of(self._configuration, self._pins)
        if self.outputs is not None and self.outputs.state.connected:
            self.outputs.safe()

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """While devices are worked. Whatever ends that leaves them as ``stop`` does: Ctrl-C, and SIGTERM and
        SIGHUP, which end it in the same way, as KeyboardInterrupt. One that is ignored stays so, as SIGHUP
        under nohup. For the main thread.
        """
        heard = [number for number in ENDING if signal.getsignal(number) is not signal.SIG_IGN]
        before = {number: signal.signal(number, _interrupted) for number in heard}
        try:
            yield
        finally:
            for number in before:
                signal.signal(number, signal.SIG_IGN)
            try:
                self.stop()
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

    def lockable(self) -> LockableShoe | None:
        """The shoe that takes commands, where the table has one and uses it."""
        return lockable(self._drivers["shoe"]) if self._configuration.devices.shoe.lock else None

    def show(self, lamp: str) -> None:
        """Only this lamp on: a colour, ``hold`` or ``buzzer``."""
        outputs = self.outputs
        if outputs is None:
            return
        outputs.light(cast(Light, lamp) if lamp in ("red", "yellow", "green") else "off")
        outputs.hold_lamp(lamp == "hold")
        if lamp == "buzzer":
            outputs.buzz(300, 200, 3)

    def _said(self, received: Received) -> Said:
        device, reading = received.device, received.reading
        match reading:
            case CardReported():
                decoded = decode(self._configuration.code_map, reading.code)
                card = None if decoded.card is None else str(decoded.card)
                return Said(device, "card", decoded.verdict, card, reading.code)
            case KeyPressed():
                return Said(device, "key", reading.line, word=reading.word)
            case CommandAnswered():
                code = "" if reading.code is None else f" ({reading.code})"
                return Said(device, "answered" if reading.ok else "refused", f"{reading.command}{code}")
            case Unreadable(may_be_card=True):
                return Said(device, "unread", in_words(reading))
            case _:
                return Said(device, _WHAT.get(type(reading), "other"), in_words(reading))
