"""A value that somebody gave us, as a message about it shows it: never as the program holds it."""

from __future__ import annotations

import msgspec

LONGEST = 60


def shown(value: object) -> str:
    """A value as a line has it, cut where it is long: ``true``, ``null``, ``"5"``."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError):  # what no line can hold, and text that is no text
        return "a number of too many digits" if isinstance(value, int) else "what nobody can write down"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def told(name: str, value: object) -> str:
    """What a line says under a name, as the beginning of a complaint: ``remaining is 5``."""
    return f"{name} is missing" if value is None else f"{name} is {shown(value)}"
