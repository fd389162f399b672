"""The scanner's driver. It sends nothing: switch XON/XOFF and ACK/NAK off in the scanner."""

from __future__ import annotations

from functools import partial

from drivers.framing import LineFraming
from drivers.line_driver import LineListener
from drivers.scanner import ScannerShoe
from drivers.scanner.decode import reading_of
from drivers.serial_line import USUAL_TIMES, PortTimes


class ScannerDriver(LineListener):
    """A scanner on its port. With `suffix = "none"` the scanner sends no end, and a silence ends a code."""

    def __init__(self, name: str, settings: ScannerShoe, times: PortTimes = USUAL_TIMES) -> None:
        if settings.suffix == "none":
            times = times.with_silence(settings.silence_ms)
        framing = LineFraming(settings.suffix, settings.longest)
        read = partial(reading_of, settings=settings)
        super().__init__(name, settings, framing, read, may_be_card=True, times=times)
