"""Errors are exceptions about us or about what we were given; the type says whose fault it is.

Problems in the world of the table are values (see ``irregularities``), never exceptions.
"""

from __future__ import annotations

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
