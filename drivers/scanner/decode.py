"""A scan to a reading: AIM prefix, symbologies that count, and codes that are none of ours.

What a scan is *not* is never dropped: a code of another symbology or shape, a programming code, a scanner's
"no read" are all a `CardNotRead`, since something passed the reader where a card belongs. Whether a code is
a card that the table knows is the code map's question.
"""

from __future__ import annotations

import re

from drivers.readings import CardNotRead, CardReported, Reading
from drivers.scanner import ScannerShoe
from drivers.symbologies import symbology

PROGRAMMING_PREFIXES = ("$", "%%", "@", "^#", ".#", "{", "NLS", "SET", "\x16")
"""How the programming codes of common makers begin. Those that a scanner keeps to itself never come here."""
NO_READ = ("NOREAD", "NO READ", "NR")
_PREFIX = re.compile(r"\](?P<letter>[A-Za-z])(?P<modifier>[0-9A-Za-z])")


def reading_of(scan: bytes, settings: ScannerShoe) -> Reading:
    """The reading that one scan (without its line end) is."""
    text = scan.decode("latin-1").strip(" ")
    if text in (NO_READ if settings.no_read is None else settings.no_read):
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


def _code(text: str, settings: ScannerShoe) -> Reading:
    if not text:
        return CardNotRead("an empty scan")
    if text.startswith(PROGRAMMING_PREFIXES if settings.programming is None else settings.programming):
        return CardNotRead(f"a code that programs scanners was scanned: {_shown(text)}")
    if not (text.isascii() and text.isprintable()):
        return CardNotRead(f"a code with characters that are no printable ASCII: {_shown(text)}")
    if settings.shape and re.fullmatch(settings.shape, text) is None:
        return CardNotRead(f"a code of another shape than a card's: {_shown(text)}")
    return CardReported(text, None, None)


def _shown(text: str) -> str:
    return ascii(text[:40])
