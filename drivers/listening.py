"""Who speaks at a serial port whose device nobody has named yet.

A device gives itself away by what it says: our keypad and our shuffler by their lines, a Bee-Tek shoe by its
brackets, a scanner by an AIM prefix or a card's code; an Angel Eye shoe answers a question. Nothing is
guessed: what could be two devices, or none, says nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from drivers.errors import DeviceFault
from drivers.framing import LineFraming, Noise, TextLine
from drivers.line_protocol import LONGEST_LINE
from drivers.registry import devices, tag_of
from drivers.serial_port import PortDriver
from drivers.settings import DeviceSettings, LineDevice, PortTimes

BAUD_RATES = (9600, 4800, 19200, 38400, 57600, 115200, 2400)
"""Speeds that are tried one after the other, where what is heard makes no sense."""
SILENCE_S = 0.2
"""What is no line after such a pause will not become one."""


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
    """Which device says such a line; None if none does, or more than one could.

    ``is_card``: whether a code is a card's, for scanners that send no AIM prefix.
    """
    speakers = [tag_of(device) for device in devices() if device.says(line, is_card)]
    return speakers[0] if len(speakers) == 1 else None


def can_be_found(device: type[DeviceSettings]) -> bool:
    """Whether such a device can give itself away at all: by a line, or by an answer."""
    ways = ("says", "answers")
    return any(getattr(device, way).__func__ is not getattr(DeviceSettings, way).__func__ for way in ways)


def ask(port: str) -> Heard | None:
    """Ask for each device that answers a question; None if none answers. Changes nothing at a device."""
    for device in devices():
        baud_rate = None
        with contextlib.suppress(DeviceFault):
            baud_rate = device.answers(port)
        if baud_rate is not None:
            return Heard(port, tag_of(device), baud_rate, "answers a question as this device does")
    return None


class _Speech(LineFraming):
    """Lines, and whatever else is said: a device that speaks in frames may never end a line."""

    def silence(self) -> list[TextLine | Noise]:
        return self.cut_off()


class Listening(PortDriver[TextLine | Noise]):
    """Listens to one port until :meth:`stop`; says what it finds out, from a thread of the port."""

    def __init__(
        self, port: str, say: Callable[[Heard], None], is_card: Callable[[str], bool] = lambda code: False
    ) -> None:
        self._hear = say
        self._is_card = is_card
        self._rates = BAUD_RATES
        line = LineDevice(port=port, baud_rate=self._rates[0])
        super().__init__(port, line, _Speech("any", LONGEST_LINE), PortTimes(silence_s=SILENCE_S))
        self.start(lambda received: None)

    def next_rate(self) -> int:
        """Go on at the next speed; which one that is."""
        self.stop()
        self._rates = (*self._rates[1:], self._rates[0])
        self._settings = LineDevice(port=self.name, baud_rate=self._rates[0])
        self.start(lambda received: None)
        return self._rates[0]

    def opened(self, identity: str, first: bool, replaced: bool, monotonic_ns: int) -> None:
        """Nothing is known yet."""

    def arrived(self, piece: TextLine | Noise, monotonic_ns: int) -> None:
        if isinstance(piece, Noise):
            self._garbled()
            return
        driver = driver_of(piece.body, self._is_card)
        shown = ascii(piece.body[:60].decode("ascii", errors="replace"))
        if driver is not None:
            self._found(f"says {shown}", driver)
        elif piece.body.isascii() and piece.body.decode().isprintable():
            self._found(f"says {shown}, which is no device of ours alone")
        else:
            self._garbled()

    def tell_lost(self, reason: str, monotonic_ns: int) -> None:
        self._found(f"cannot be opened: {reason}")

    def _garbled(self) -> None:
        self._found(f"speaks, but not to be understood at {self._rates[0]} baud", garbled=True)

    def _found(self, words: str, driver: str | None = None, garbled: bool = False) -> None:
        self._hear(Heard(self.name, driver, self._rates[0], words, garbled))
