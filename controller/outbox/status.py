"""The retained ``status``: birth, will and farewell, each with the boot number of who speaks."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Literal

import msgspec

from controller.vocabulary.errors import NOT_JSON

State = Literal["online", "offline", "lost"]


class Unit(msgspec.Struct, frozen=True):
    """Who this controller is, for as long as it runs."""

    boot: int
    """Counts the starts of this table's controller."""
    version: str
    digest: str
    mode: Literal["live", "test"] = "live"


class Status(msgspec.Struct, frozen=True):
    """The payload; ``epoch`` and ``sequence`` are the head of the stream."""

    state: State
    """``lost`` is said by the broker for us."""
    boot: int
    """Counts the starts of this table."""
    version: str
    """Of the program."""
    digest: str
    """Of the program: SHA-256 over all its files."""
    mode: Literal["live", "test"]
    """``test``: nothing counts."""
    epoch: int
    """Of the stream."""
    sequence: int
    """Of the last message of the stream."""


def status_of(unit: Unit, state: State, epoch: int, sequence: int) -> bytes:
    """The canonical payload."""
    status = Status(state, unit.boot, unit.version, unit.digest, unit.mode, epoch, sequence)
    return msgspec.json.encode(status, order="sorted")


def read_status(payload: bytes) -> Status | None:
    """What stands in a status, None if it is none of ours."""
    try:
        return msgspec.json.decode(payload, type=Status)
    except NOT_JSON:
        return None
