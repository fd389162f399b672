"""What the tests of the shell share: a table on the bench; keypad and service manager of a whole table."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.keypad.simulator import Keypad
from tests.harness.bench import Bench
from tests.harness.patience import PATIENCE_S


@pytest.fixture
def loaded() -> Bench:
    """A table with a good shoe."""
    bench = Bench()
    bench.load()
    return bench


@pytest.fixture
def bench(loaded: Bench) -> Bench:
    """A table that waits for the first card of a round."""
    loaded.open()
    return loaded


@pytest.fixture
def keypad(tmp_path: Path) -> Iterator[Keypad]:
    """Where ``PANEL`` looks for it."""
    with Keypad(tmp_path / "keypad") as keypad:
        yield keypad


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The service manager's ear."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        ear.bind(str(tmp_path / "notify"))
        ear.settimeout(PATIENCE_S)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        yield ear
