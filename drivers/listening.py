"""Who speaks at a serial port whose device nobody has named yet.

A device gives itself away by its words: our keypad and our shuffler by their lines, a Bee-Tek shoe by its
brackets, a scanner by an AIM prefix or a card's code; an Angel Eye shoe answers a question. Nothing is
guessed: what could be two devices, or none, says nothing.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable
from dataclasses import dataclass

from drivers.angel_eye.driver import AngelEyeDriver, AngelEyeSettings, line_settings
from drivers.bee_tek import wire as bee_tek
from drivers.framing import Line, LineFraming, Noise
from drivers.line_protocol import LONGEST_LINE, Understood, read_line
from drivers.panel.keypad.wire import KEYPAD
from drivers.ports import Received
from drivers.readings import CommandAnswered, DeviceLost, ProcessReported, Unreadable
from drivers.scanner.decode import SYMBOLOGIES
from drivers.serial_line import LineSettings
from drivers.serial_port import SerialPort
from drivers.shuffler.wire import SHUFFLER

BAUD_RATES = (9600, 4800, 19200, 38400, 57600, 115200, 2400)
"""Speeds that are tried one after the other, where what is heard makes no sense."""
ANGEL_EYE_BAUD_RATES = (4800, 9600, 19200)
ANSWER_S = 0.4
_AIM = b"]"


@dataclass(frozen=True, slots=True)
class Heard:
    """What was found out about a port. ``driver``: as ``driver`` in a configuration; None: not known yet, and
    ``words`` says why.
    """

    port: str
    driver: str | None
    baud_rate: int
    words: str
    garbled: bool = False
    """The speed of the line may be another one."""


def driver_of(line: bytes, is_card: Callable[[str], bool] = lambda code: False) -> str | None:
    """Which device says such a line; None where none does, or more than one could.

    ``is_card``: whether a code is a card's, for scanners that send no AIM prefix.
    """
    speakers = [
        name
        for name, protocol in (("keypad", KEYPAD), ("line", SHUFFLER))
        if isinstance(read_line(line, protocol), Understood)
    ]
    if speakers:
        return speakers[0] if len(speakers) == 1 else None
    if not isinstance(bee_tek.reading_of(line), Unreadable):
        return "bee-tek"
    text = line.decode("ascii", errors="replace").strip()
    if line.startswith(_AIM) and text[1:2] in {name[0] for name in SYMBOLOGIES} and text.isprintable():
        return "scanner"
    return "scanner" if is_card(text) else None


def ask_angel_eye(port: str) -> Heard | None:
    """Ask at each speed where the shoe stands; None where no shoe answers. Changes nothing at the device."""
    for baud_rate in ANGEL_EYE_BAUD_RATES:
        heard: queue.SimpleQueue[Received] = queue.SimpleQueue()
        line = line_settings(port, baud_rate)
        settings = AngelEyeSettings(line, command_timeout_ms=round(ANSWER_S * 1000), command_tries=1)
        driver = AngelEyeDriver("setup", settings)
        driver.start(heard.put)
        try:
            answer = _answer(heard)
        finally:
            driver.stop()
        if answer is True:
            return Heard(port, "angel-eye", baud_rate, "answers as an Angel Eye shoe")
        if answer is None:
            return None
    return None


def _answer(heard: queue.SimpleQueue[Received]) -> bool | None:
    """Whether the shoe answered; None where the port cannot be used."""
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
        if isinstance(received.reading, DeviceLost):
            return None
    return False


class Listening:
    """Listens to one port until :meth:`stop`; says what it finds out, from a thread of the port."""

    def __init__(
        self, port: str, say: Callable[[Heard], None], is_card: Callable[[str], bool] = lambda code: False
    ) -> None:
        self._say = say
        self._is_card = is_card
        self._rates = BAUD_RATES
        self._line = LineSettings(port, self._rates[0])
        self._port = self._opened()

    def stop(self) -> None:
        """Let go of the port."""
        self._port.stop()

    def next_rate(self) -> int:
        """Go on at the next speed; which one that is."""
        self._port.stop()
        self._rates = (*self._rates[1:], self._rates[0])
        self._line = LineSettings(self._line.port, self._rates[0])
        self._port = self._opened()
        return self._rates[0]

    def _opened(self) -> SerialPort[Line | Noise]:
        port: SerialPort[Line | Noise] = SerialPort(self._line, LineFraming("any", LONGEST_LINE), self)
        port.start()
        return port

    # What the port tells, from its thread.

    def opened(self, identity: str, first: bool, replaced: bool, monotonic_ns: int) -> None:
        """Nothing is known yet."""

    def arrived(self, piece: Line | Noise, monotonic_ns: int) -> None:
        port, rate = self._line.port, self._line.baud_rate
        if isinstance(piece, Noise):
            self._garbled()
            return
        driver = driver_of(piece.body, self._is_card)
        shown = ascii(piece.body[:60].decode("ascii", errors="replace"))
        if driver is not None:
            self._say(Heard(port, driver, rate, f"says {shown}"))
        elif piece.body.isascii() and piece.body.decode().isprintable():
            self._say(Heard(port, None, rate, f"says {shown}, which is no device of ours alone"))
        else:
            self._garbled()

    def _garbled(self) -> None:
        rate = self._line.baud_rate
        words = f"speaks, but not to be understood at {rate} baud"
        self._say(Heard(self._line.port, None, rate, words, garbled=True))

    def ticked(self, monotonic_ns: int) -> None:
        """Nothing to do."""

    def closed(self, reason: str, monotonic_ns: int) -> None:
        self._say(Heard(self._line.port, None, self._line.baud_rate, f"cannot be opened: {reason}"))
