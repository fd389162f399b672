"""Our own line protocols, without input or output: which commands there are and which arguments each takes.

ASCII lines. Accepted: `OK`. Understood but refused now: `NO <why>`. Not understood: `? <line>`. A protocol
is a table from a word to its arguments; vendors read the same tables.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

LONGEST_LINE = 120
_LONGEST_ANSWER = 120


class Argument(msgspec.Struct, frozen=True):
    """One argument: its name, what it looks like, and whether it may be left out. Only the last may be
    `free` text, or come more than once.
    """

    name: str
    pattern: re.Pattern[str]
    wanted: str
    optional: bool = False
    free: bool = False
    repeated: bool = False
    least: int = 0
    most: int | None = None
    """Of a number; None: it is none."""


class Understood(msgspec.Struct, frozen=True):
    """A line that is well formed. Arguments that were left out are left out here as well."""

    line: str
    word: str
    arguments: tuple[str, ...]


class Misunderstood(msgspec.Struct, frozen=True):
    """A line that is not, and what is wrong with it."""

    reason: str


class OutOfRange(Misunderstood, frozen=True):
    """A line that is well formed, but for a number that cannot be meant: it is refused."""


def count(name: str, least: int = 0, repeated: bool = False, most: int = 99_999) -> Argument:
    """A whole number from `least` to `most`, without sign or leading zeros."""
    wanted = f"a whole number from {least} to {most}"
    digits = re.compile(r"0|[1-9]\d*", re.ASCII)
    return Argument(name, digits, wanted, repeated=repeated, least=least, most=most)


def name_of(name: str, optional: bool = False) -> Argument:
    """One word without blanks, of at most 40 letters, digits and `_ . : -`."""
    wanted = "one word of letters, digits and _ . : -"
    return Argument(name, re.compile(r"[A-Za-z0-9_.:-]{1,40}", re.ASCII), wanted, optional)


def card(name: str) -> Argument:
    """A card, rank then suit."""
    return Argument(name, re.compile(r"[A23456789TJQK][SHDC]"), "a card, rank then suit, for example TH")


def free_text(name: str, optional: bool = False) -> Argument:
    """The rest of the line."""
    return Argument(name, re.compile(r"[ -~]{1,100}"), "text", optional, free=True)


Protocol = Mapping[str, tuple[Argument, ...]]


def read_line(body: bytes, protocol: Protocol) -> Understood | Misunderstood:
    """Check one line (without its end) against a protocol. Words and arguments are divided by one or more
    blanks.
    """
    if any(not 0x20 <= byte < 0x7F for byte in body):
        return Misunderstood("bytes that are no printable ASCII")
    line = body.decode("ascii").strip(" ")
    if not line:
        return Misunderstood("an empty line")
    word, _, rest = line.partition(" ")
    wanted = protocol.get(word)
    if wanted is None:
        return Misunderstood(f"unknown word {word!r}")
    parts = _divide(rest.strip(" "), wanted)
    least = sum(not argument.optional for argument in wanted)
    if wanted and wanted[-1].repeated:
        wanted = (*wanted, *wanted[-1:] * (len(parts) - len(wanted)))
    if not least <= len(parts) <= len(wanted):
        return Misunderstood(f"{word} with {len(parts)} arguments; it is: {usage(word, wanted)}")
    for part, argument in zip(parts, wanted, strict=False):
        if argument.pattern.fullmatch(part) is None:
            return Misunderstood(f"{word}: <{argument.name}> must be {argument.wanted}")
    for part, argument in zip(parts, wanted, strict=False):
        if argument.most is not None and not argument.least <= int(part) <= argument.most:
            return OutOfRange(f"{word}: <{argument.name}> must be {argument.wanted}")
    return Understood(line, word, parts)


def usage(word: str, arguments: tuple[Argument, ...]) -> str:
    """A word as the contract writes it, for example `BURN <n> [<reason>]`."""
    written = (f"[<{item.name}>]" if item.optional else f"<{item.name}>" for item in arguments)
    return " ".join((word, *written)) + (" ..." if arguments and arguments[-1].repeated else "")


def accepted() -> bytes:
    """`OK`."""
    return b"OK\n"


def refused(why: str) -> bytes:
    """`NO <why>`, in printable ASCII."""
    return _answer(b"NO ", why.encode("ascii", errors="replace"))


def not_understood(raw: bytes) -> bytes:
    """`? <line>`: the line as it came, bytes that are not printable as a dot."""
    return _answer(b"? ", raw.rstrip(b"\r\n"))


def _answer(begin: bytes, rest: bytes) -> bytes:
    printable = bytes(byte if 0x20 <= byte < 0x7F else 0x2E for byte in rest)
    return (begin + printable)[:_LONGEST_ANSWER].rstrip(b" ") + b"\n"


def _divide(rest: str, wanted: tuple[Argument, ...]) -> tuple[str, ...]:
    if not rest:
        return ()
    if wanted and wanted[-1].free:
        return tuple(rest.split(maxsplit=len(wanted) - 1))
    return tuple(rest.split())
