"""Words to the service manager: said where it listens, and nobody waits where it does not read."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path

import pytest

from controller.shell.daemon import notify
from tests.harness.patience import PATIENCE_S

MORE_THAN_FIT = 2000
"""A socket of datagrams keeps ``net.unix.max_dgram_qlen``: 10 or 512."""


def test_lines_come_in_one_datagram(manager: socket.socket) -> None:
    notify("READY=1", "STATUS=betting", wait=True)
    assert manager.recv(4096) == b"READY=1\nSTATUS=betting"


def test_a_manager_that_does_not_read_keeps_nobody_waiting(manager: socket.socket) -> None:
    def feed() -> None:
        for _ in range(MORE_THAN_FIT):
            notify("WATCHDOG=1")

    feeding = threading.Thread(target=feed, daemon=True)
    feeding.start()
    feeding.join(PATIENCE_S)
    assert not feeding.is_alive()
    manager.setblocking(False)
    with contextlib.suppress(BlockingIOError):
        while True:
            assert manager.recv(4096) == b"WATCHDOG=1"
    notify("STATUS=again")
    assert manager.recv(4096) == b"STATUS=again"


def test_what_is_said_once_waits_until_it_fits(manager: socket.socket) -> None:
    for _ in range(MORE_THAN_FIT):
        notify("WATCHDOG=1")
    saying = threading.Thread(target=lambda: notify("READY=1", wait=True), daemon=True)
    saying.start()
    saying.join(0.2)  # what does not wait is over by then
    assert saying.is_alive()
    while manager.recv(4096) != b"READY=1":
        pass
    saying.join(PATIENCE_S)
    assert not saying.is_alive()


def test_without_a_manager_nothing_happens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "nobody"))
    notify("READY=1", wait=True)
    monkeypatch.delenv("NOTIFY_SOCKET")
    notify("READY=1", wait=True)
