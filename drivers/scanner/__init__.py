"""Bar code and QR scanners on a serial or USB-CDC port, of any maker."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta

from drivers.errors import DeviceSettingsError
from drivers.framing import LineEnd, LineFraming
from drivers.ports import Driver
from drivers.settings import DriverContext, LineDevice, Milliseconds, ShoeDevice
from drivers.symbologies import Symbology, symbology

if TYPE_CHECKING:
    from drivers.scanner.simulator import SimulatedScanner

Beginnings = tuple[Annotated[str, Meta(min_length=1, max_length=40)], ...]


class ScannerShoe(LineDevice, ShoeDevice, frozen=True, kw_only=True, tag="scanner"):
    """A bar code or QR scanner at the exit of a plain shoe."""

    suffix: LineEnd = "any"
    """What ends a code; ``none``: a silence."""
    silence_ms: Milliseconds = 50
    """With ``suffix = "none"``: the silence that ends a code."""
    symbologies: tuple[Symbology, ...] = ()
    """Only these are read (the scanner sends AIM prefixes); none named: all, with a prefix or without."""
    aim: Literal["optional", "required", "none"] = "optional"
    """Whether the scanner puts an AIM prefix before each code; ``none``: what looks like one is code."""
    shape: str = ""
    """A regular expression for the whole code, as ``[0-9]{4}``: another code is a card that was not read, and
    never a foreign one. Empty: the code map alone decides."""
    no_read: Beginnings | None = None
    """What the scanner sends when it read nothing; not given: NOREAD, NO READ and NR."""
    programming: Beginnings | None = None
    """How codes begin that would program a scanner, and are no cards; not given: those of common makers."""
    longest: Annotated[int, Meta(ge=1, le=4096)] = 128
    """The most characters of a code with its prefix; more is noise that may hide a card."""

    def __post_init__(self) -> None:
        if self.symbologies and self.aim == "none":
            raise DeviceSettingsError(
                "aim", "optional or required, since symbologies are told by AIM prefixes"
            )
        try:
            re.compile(self.shape)
        except re.error as problem:
            raise DeviceSettingsError("shape", f"no regular expression: {problem}") from problem

    def driver(self, name: str, context: DriverContext) -> Driver:
        """It sends nothing: switch XON/XOFF and ACK/NAK off in the scanner."""
        from drivers.line_driver import LineListener
        from drivers.scanner.decode import reading_of

        times = context.times.with_silence(self.silence_ms) if self.suffix == "none" else context.times
        framing, read = LineFraming(self.suffix, self.longest), partial(reading_of, settings=self)
        return LineListener(name, self, framing, read, may_be_card=True, times=times)

    @classmethod
    def simulator(cls, path: Path) -> "SimulatedScanner":
        from drivers.scanner.simulator import SimulatedScanner

        return SimulatedScanner(path, aim="]C0")

    @classmethod
    def says(cls, line: bytes, is_card: Callable[[str], bool]) -> bool:
        text = line.decode("ascii", errors="replace").strip()
        prefixed = text[:1] == "]" and text.isprintable() and symbology(text[1:2], "") is not None
        return prefixed or is_card(text)


DEVICES = (ScannerShoe,)
