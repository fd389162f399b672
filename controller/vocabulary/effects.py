"""Effects: what the table wants done about an event. The core only says; the shell does it after the
commit.
"""

from __future__ import annotations

import msgspec


class Say(msgspec.Struct, frozen=True):
    """Publish a message of the stream. ``sequence`` is its place in the epoch, from 1, without gaps."""

    sequence: int
    name: str
    round: str | None
    data: dict[str, object]


class Refused(msgspec.Struct, frozen=True):
    """The event was understood but not allowed now; it changed nothing (``why`` is the answer to the
    device).
    """

    code: str
    why: str


Effect = Say | Refused
