"""Errors are exceptions about us or about what we were given; the type says whose fault it is.

Problems in the world of the table are values (see ``irregularities``), never exceptions.
"""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

T = TypeVar("T")

NOT_JSON = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What reading bytes from outside as JSON raises: RecursionError where somebody nests a thousand brackets."""


def read_json(body: bytes | msgspec.Raw | None, shape: type[T]) -> T | None:
    """What somebody outside says; None where there is nothing, or nothing of this shape."""
    try:
        return None if body is None else msgspec.json.decode(body, type=shape)
    except NOT_JSON:
        return None


def why(error: Exception) -> str:
    """What the system or a library says of an error of its own, without number, name and line of a source."""
    if isinstance(error, UnicodeDecodeError):
        return "this is no UTF-8 text"
    if isinstance(error, msgspec.ValidationError):
        return unfit(str(error))
    system = error.strerror if isinstance(error, OSError) else None
    said = getattr(error, "verify_message", None) or system or str(error) or type(error).__name__
    for pattern, words in _MEANT:
        said = re.sub(pattern, words, said)
    return said


_MEANT = (
    (r"^\[[^\]]*\] | \(_ssl\.c:\d+\)$", ""),
    (r" \(while attempting to bind on address .*\)$", ""),
    (r"^JSON is malformed: (.*) \(byte (\d+)\)$", r"\1 at byte \2"),
    (r"^Input data was truncated$", "it ends too soon"),
    (r"^unable to open database file$", "its folder is missing, or may not be written to"),
    (r"^file is not a database$", "it is a file of another kind"),
)
"""What libraries say to programmers, as a person needs it."""


_CALLED = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "null",
}
"""What a JSON value is called by people."""
_KINDS = re.compile(r"`((?:" + "|".join(_CALLED) + r")(?: \| \w+)*)`")
_UNFIT = (
    (r"Object missing required field `([^`]+)`", r"`\1` is missing"),
    (r"Object contains unknown field `([^`]+)`", r"there is no field `\1`"),
    (r"Invalid (?:enum )?value '?([^']*)'?", r"'\1' is none of the known ones"),
    (r"Number out of range", "the number is too large"),
    (r"Expected `str` matching regex .*", "expected text of another form"),
    (r"Expected `([^`]+)`, got `([^`]+)`", r"expected `\1`, not `\2`"),
    (r"Expected `([^`]+)` of (length [^`]+)", r"expected `\1` of \2"),
    (r"Expected `([^`]+)` ([<>]=?) (.+)", r"expected `\1` \2 \3"),
)


def unfit(said: str) -> str:
    """What msgspec says of a value of another shape than is expected, with the names that people use."""
    what, _, place = said.partition(" - at ")
    place = place.strip("`").removeprefix("$").removeprefix(".").replace("[...]", ", one of them")
    place = place.removeprefix(", ")
    for pattern, words in _UNFIT:
        found = re.fullmatch(pattern, what, re.DOTALL)
        if found is not None:
            what = found.expand(words)
            break
    what = _KINDS.sub(_as_called, what)
    return f"{place}: {what}" if place else what


def _as_called(kinds: re.Match[str]) -> str:
    return " or ".join(_CALLED.get(kind, kind) for kind in kinds[1].split(" | "))


class DealerTableError(Exception):
    """Base of every error of this program; ``code`` is stable, ``message`` names what to fix."""

    code = "error"

    def __init__(self, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class InputError(DealerTableError):
    """A line, a question or a file that somebody gave us is wrong."""

    code = "bad_input"


class CardError(InputError):
    """A text that names no card, or a card that cannot be there."""

    code = "unknown_card"


class ConfigurationError(DealerTableError):
    """The configuration is wrong; the message begins with the key path."""

    code = "configuration"


class PayTableError(ConfigurationError):
    """A pay table file is wrong; the message names the row."""

    code = "pay_table"


class JournalError(DealerTableError):
    """The journal cannot be read or written."""

    code = "journal"


class MayNotRunError(DealerTableError):
    """This unit is not the table: another one is, or its journal is not the table's."""

    code = "may_not_run"


class DeviceError(DealerTableError):
    """A device cannot be reached or used."""

    code = "device"
