"""A table's outbox at work, and a listener at its broker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.broker import Broker
from tests.outbox.sender import Listener, Sender


@pytest.fixture
def sender(broker: Broker) -> Iterator[Sender]:
    """Connected; it has one consumer, ``settlement``."""
    with Sender(broker, consumers=["settlement"]) as made:
        made.connect()
        yield made


@pytest.fixture
def listener(broker: Broker) -> Iterator[Listener]:
    """Hears the stream and what is answered to commands."""
    with Listener(broker, "events", "replies/+") as made:
        yield made
