"""What the journal is told of an envelope, to check the public chain."""

from __future__ import annotations

from controller.journal.verify import MessageLink
from controller.outbox.envelope import read_envelope


def link(body: bytes) -> MessageLink:
    """What a message of the stream says of its own place; InputError if it is no such message."""
    envelope = read_envelope(body)
    return MessageLink(envelope.epoch, envelope.sequence, envelope.prevhash)
