"""The scanner's driver. It sends nothing: switch XON/XOFF and ACK/NAK off in the scanner."""

from __future__ import annotations

from typing import get_args

from drivers.errors import DeviceSettingsError
from drivers.framing import LineEnd, LineFraming
from drivers.line_driver import LineListener
from drivers.readings import Reading
from drivers.scanner.decode import ScanSettings, reading_of
from drivers.serial_line import LineSettings


class ScannerDriver(LineListener):
    """A scanner on its port, usually 9600 8N1.

    `suffix` is what ends a code: "any" (CR, LF or both), "cr", "lf", "crlf", or "none" where the scanner
    sends nothing and a silence ends it; then `line.silence_s` must be above 0.
    """

    def __init__(
        self,
        name: str,
        line: LineSettings,
        scan: ScanSettings | None = None,
        suffix: LineEnd = "any",
        longest: int = 128,
    ) -> None:
        settings = scan or ScanSettings()
        if suffix not in get_args(LineEnd):
            raise DeviceSettingsError("suffix", f"one of {', '.join(get_args(LineEnd))}, not {suffix!r}")
        if suffix == "none" and line.silence_s <= 0:
            raise DeviceSettingsError("silence_s", "a time above 0: only silence ends a code without suffix")

        def read(body: bytes) -> Reading:
            return reading_of(body, settings)

        super().__init__(name, line, LineFraming(suffix, longest), read, may_be_card=True)
