"""A value that somebody gave us, as a message about it shows it, never as the program holds it; and what was
probably meant.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

LONGEST = 60


def shown(value: object) -> str:
    """A value as a line has it, cut where it is long: ``true``, ``null``, ``"5"``."""
    try:
        text = msgspec.json.encode(value).decode()
    except (TypeError, ValueError, OverflowError):  # what no line can hold, and text that is no text
        return "a number of too many digits" if isinstance(value, int) else "what nobody can write down"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def counted(number: int, thing: str) -> str:
    """So many of them: ``1 card``, ``2 cards``."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def told(name: str, value: object) -> str:
    """What a line says under a name, as the beginning of a complaint: ``remaining is 5``."""
    return f"{name} is missing" if value is None else f"{name} is {shown(value)}"


def nearest(said: object, known: Iterable[object]) -> str | None:
    """The known word that was probably meant; None where none is near."""
    if not isinstance(said, str):
        return None
    from difflib import get_close_matches  # only for a mistake

    return next(iter(get_close_matches(said, [one for one in known if isinstance(one, str)], 1)), None)


def meant(said: str, known: Iterable[object], otherwise: str) -> str:
    """That word as a question; ``otherwise`` where none is near."""
    near = nearest(said, known)
    return otherwise if near is None else f"did you mean {near}?"
