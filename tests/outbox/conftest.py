"""A broker for the tests of the outbox."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.harness.broker import Broker


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    """A running broker."""
    running = Broker(tmp_path / "broker")
    running.start()
    yield running
    running.stop()


@pytest.fixture
def absent_broker(tmp_path: Path) -> Iterator[Broker]:
    """A broker that has not been started."""
    absent = Broker(tmp_path / "broker")
    yield absent
    absent.stop()
