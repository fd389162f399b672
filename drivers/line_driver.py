"""Drivers for devices that speak in lines. They keep no state of the device: the shell does."""

from __future__ import annotations

from collections.abc import Callable

from drivers import line_protocol
from drivers.framing import LineFraming, Noise, TextLine
from drivers.line_protocol import OutOfRange, Understood
from drivers.ports import Accepted, Answer, Received, Refused
from drivers.readings import DeviceReachable, DeviceUnreachable, Reading, Unreadable
from drivers.serial_port import PortDriver
from drivers.settings import PanelDevice, PortTimes, SerialDevice


class LineListener(PortDriver[TextLine | Noise]):
    """Lines in, nothing out: for devices that take no answer. Their lines carry no numbers.

    `may_be_card` marks what makes no sense as a possible card: right for a shoe, whose lines are cards.
    """

    def __init__(
        self,
        name: str,
        settings: SerialDevice,
        framing: LineFraming,
        reading_of: Callable[[bytes], Reading],
        may_be_card: bool,
        times: PortTimes,
    ) -> None:
        super().__init__(name, settings, framing, times)
        self._reading_of = reading_of
        self._may_be_card = may_be_card

    def arrived(self, piece: TextLine | Noise, monotonic_ns: int) -> None:
        if isinstance(piece, Noise):
            reading: Reading = Unreadable(piece.reason, piece.continued, self._may_be_card)
        else:
            reading = self._reading_of(piece.body)
        self._say(reading, piece.raw, monotonic_ns)


class LineDriver(LineListener):
    """One of our own line protocols: `OK`, `NO <why>` or `? <line>` goes back after the commit."""

    def __init__(
        self,
        name: str,
        settings: SerialDevice,
        protocol: line_protocol.Protocol,
        reading_of: Callable[[str, str, tuple[str, ...]], Reading],
        times: PortTimes,
    ) -> None:
        people = isinstance(settings, PanelDevice)  # a machine that counts so is in trouble

        def read(body: bytes) -> Reading:
            result = line_protocol.read_line(body, protocol)
            if isinstance(result, Understood):
                return reading_of(result.line, result.word, result.arguments)
            return Unreadable(result.reason, refused=people and isinstance(result, OutOfRange))

        framing = LineFraming("lf", line_protocol.LONGEST_LINE, empty=True)
        super().__init__(name, settings, framing, read, may_be_card=False, times=times)

    def acknowledge(self, received: Received, answer: Answer) -> None:
        """Answer a line. What cannot be read is answered with `?` whatever the answer, an over-long line
        once; what is understood and refused, with the answer.
        """
        reading = received.reading
        if isinstance(reading, DeviceUnreachable | DeviceReachable):
            return
        if isinstance(reading, Unreadable) and not reading.refused:
            message = b"" if reading.continued else line_protocol.not_understood(received.raw)
        elif isinstance(answer, Accepted):
            message = line_protocol.accepted()
        elif isinstance(answer, Refused):
            message = line_protocol.refused(answer.why)
        else:
            message = line_protocol.not_understood(received.raw)
        if message:
            self.write(message, heard_ns=received.monotonic_ns)
