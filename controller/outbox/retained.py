"""What table and consumers retain for each other: ``status``, ``acks/<consumer>``, the ``chat`` of seats."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated, Literal

import msgspec

State = Literal["online", "offline", "lost"]


class Unit(msgspec.Struct, frozen=True):
    """Who this controller is, for as long as it runs."""

    boot: int
    """Counts the starts of this table's controller."""
    version: str
    digest: str
    mode: Literal["live", "test"] = "live"
    keyid: str | None = None
    public_key: str | None = None


class Status(msgspec.Struct, frozen=True, omit_defaults=True):
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
    keyid: str | None = None
    """Name of the key that signs the messages."""
    public_key: str | None = None
    """Its public half, 32 bytes in base64url: to be compared with what a consumer has pinned."""


def status_of(unit: Unit, state: State, epoch: int, sequence: int) -> bytes:
    """The canonical payload."""
    about = unit.boot, unit.version, unit.digest, unit.mode
    status = Status(state, *about, epoch, sequence, unit.keyid, unit.public_key)
    return msgspec.json.encode(status, order="sorted")


MOST = (1 << 53) - 1
"""A number that every reader of JSON keeps exactly."""
LARGEST_ACK_BYTES = 1024


class Ack(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a consumer writes: all up to here is safe with it; ``hash`` of the message it holds there."""

    epoch: Annotated[int, msgspec.Meta(ge=0, le=MOST)]
    """Of the stream."""
    sequence: Annotated[int, msgspec.Meta(ge=0, le=MOST)]
    """The last message that is safe."""
    hash: str | None = None
    """SHA-256 of that message: makes the consumer a witness."""
    repeats: bool = False
    """The consumer listens on ``repeats/<consumer>``: what is sent again for it comes there, and to nobody
    else."""


class ChatLine(msgspec.Struct, frozen=True):
    """As it was said."""

    number: int
    """Rises."""
    player: str
    """The name of who said it."""
    text: str
    """One line."""


class Chat(msgspec.Struct, frozen=True):
    """What is said at the table, for all who sit there and for its dealer."""

    lines: tuple[ChatLine, ...]
    """The last ones, the newest at the end."""
