"""A scan to a reading: AIM prefix, symbologies that count, and codes that are none of ours.

What a scan is *not* is never dropped: a code of another symbology or shape, a programming code, a scanner's
"no read" are all a `CardNotRead`, since something passed the reader where a card belongs. Whether a code is
a card that the table knows is the code map's question.
"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from drivers.errors import DeviceSettingsError
from drivers.readings import CardNotRead, CardReported, Reading

Aim = Literal["none", "optional", "required"]

# AIM identifiers (ISO/IEC 15424): a letter; where the modifier tells kinds apart, both.
SYMBOLOGIES = {
    "C": "code128",
    "C1": "gs1-128",
    "A": "code39",
    "E": "ean13",
    "I": "itf",
    "d": "data-matrix",
    "Q": "qr",
    "L": "pdf417",
    "z": "aztec",
}
NAMES = frozenset(SYMBOLOGIES.values())
# How the programming codes of common makers begin. Those that a scanner keeps to itself never come here.
PROGRAMMING_PREFIXES = ("$", "%%", "@", "^#", ".#", "{", "NLS", "SET", "\x16")
_PREFIX = re.compile(r"\](?P<letter>[A-Za-z])(?P<modifier>[0-9A-Za-z])")


class ScanSettings(msgspec.Struct, frozen=True):
    """What counts as a card's code.

    `aim`: whether the scanner sends AIM prefixes. `symbologies`: names of SYMBOLOGIES that count, empty for
    all; with a list the prefix is needed. `shape`: a regular expression for the whole code, empty for all.
    `programming`: how codes begin that would program a scanner. `no_read`: what the scanner sends when it
    read nothing.
    """

    aim: Aim = "optional"
    symbologies: frozenset[str] = frozenset()
    shape: str = ""
    programming: tuple[str, ...] = PROGRAMMING_PREFIXES
    no_read: tuple[str, ...] = ("NOREAD", "NO READ", "NR")

    def __post_init__(self) -> None:
        if self.aim not in ("none", "optional", "required"):
            raise DeviceSettingsError("aim", f"none, optional or required, not {self.aim!r}")
        unknown = sorted(self.symbologies - NAMES)
        if unknown:
            known = ", ".join(sorted(NAMES))
            raise DeviceSettingsError("symbologies", f"{unknown[0]!r} is none of {known}")
        if self.symbologies and self.aim == "none":
            raise DeviceSettingsError(
                "aim", "optional or required, since symbologies are told by AIM prefixes"
            )
        try:
            re.compile(self.shape)
        except re.error as problem:
            raise DeviceSettingsError("shape", f"no regular expression: {problem}") from problem


def reading_of(scan: bytes, settings: ScanSettings) -> Reading:
    """The reading that one scan (without its line end) is."""
    text = scan.decode("latin-1").strip(" ")
    if text in settings.no_read:
        return CardNotRead("the scanner read nothing")
    prefix = _PREFIX.match(text) if settings.aim != "none" else None
    if prefix is None and (settings.aim == "required" or settings.symbologies):
        return CardNotRead("a scan without AIM prefix; switch AIM identifiers on in the scanner")
    if prefix is not None:
        text = text[prefix.end() :]
        name = symbology(prefix["letter"], prefix["modifier"])
        if settings.symbologies and name not in settings.symbologies:
            return CardNotRead(f"a code of the symbology {name or prefix.group()!r}, which is not accepted")
    return _code(text, settings)


def symbology(letter: str, modifier: str) -> str | None:
    """The name of an AIM identifier, or None."""
    return SYMBOLOGIES.get(letter + modifier) or SYMBOLOGIES.get(letter)


def _code(text: str, settings: ScanSettings) -> Reading:
    if not text:
        return CardNotRead("an empty scan")
    if text.startswith(settings.programming):
        return CardNotRead(f"a code that programs scanners was scanned: {_shown(text)}")
    if not (text.isascii() and text.isprintable()):
        return CardNotRead(f"a code with characters that are no printable ASCII: {_shown(text)}")
    if settings.shape and re.fullmatch(settings.shape, text) is None:
        return CardNotRead(f"a code of another shape than a card's: {_shown(text)}")
    return CardReported(text, None, None)


def _shown(text: str) -> str:
    return ascii(text[:40])
