"""The outbox in figures."""

from __future__ import annotations

import msgspec

from controller.vocabulary.histogram import Histogram


class OutboxCounters(msgspec.Struct, frozen=True):
    """The outbox now, and since this process began."""

    connected: bool
    listening: bool
    """We hear acknowledgements and commands."""
    connections: int
    """So many times the broker let us in."""
    head: int
    sent: int
    """Stream messages published, repeats included."""
    taken: int
    """Stream messages that the broker answered for, repeats included."""
    acknowledged: dict[str, int]
    """Consumer -> sequence; ``broker`` where no consumer is named."""
    pending: int
    """Stream messages that some consumer has not acknowledged."""
    publish_s: Histogram
    """From handing a stream message to the broker until it answered."""
