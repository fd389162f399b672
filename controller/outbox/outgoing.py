"""What leaves for the broker: a message of the stream, retained state, the answer to a command."""

from __future__ import annotations

import msgspec


class StreamMessage(msgspec.Struct, frozen=True):
    """Send the stream's message with this sequence."""

    sequence: int
    historical: bool
    to: str | None = None
    """The consumer that it goes out again for; None: it is for all."""
    own: bool = False
    """On that consumer's own topic, where nobody else hears it."""


class RetainedMessage(msgspec.Struct, frozen=True):
    """Send this retained state; None deletes it."""

    topic: str
    payload: bytes | None


class ReplyMessage(msgspec.Struct, frozen=True):
    """Send this once, not retained."""

    topic: str
    payload: bytes


OutgoingMessage = StreamMessage | RetainedMessage | ReplyMessage


class InFlight(msgspec.Struct, frozen=True):
    """A message that the broker has not answered for yet."""

    message: OutgoingMessage
    sent_s: float
    in_order: bool = False
    """It was the stream's turn: what is denied goes again from there."""
