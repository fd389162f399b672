"""What a consumer acknowledges, retained on ``acks/<name>``."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated

import msgspec

from controller.vocabulary.errors import NOT_JSON


class Ack(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a consumer writes: all up to here is safe with it; ``hash`` of the message it holds there."""

    epoch: Annotated[int, msgspec.Meta(ge=0)]
    """Of the stream."""
    sequence: Annotated[int, msgspec.Meta(ge=0)]
    """The last message that is safe."""
    hash: str | None = None
    """SHA-256 of that message: makes the consumer a witness."""


def read_ack(payload: bytes) -> Ack | None:
    """Reads a retained acknowledgement; None if it is not one."""
    try:
        return msgspec.json.decode(payload, type=Ack)
    except NOT_JSON:
        return None
