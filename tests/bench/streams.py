"""Many event streams on one board: what they cost, and whether each hears the end."""

from __future__ import annotations

import os
import selectors
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.board.serving import BoardProcess
from tests.harness.process import resident_mb

WATCHED_S = 8.0
CHANGES_EACH_S = 2
PATIENCE_S = 20.0


@dataclass(frozen=True)
class Streams:
    """What was measured."""

    open: int
    heard: int
    """Streams that got the last change."""
    memory_mb: float
    grown_mb: float
    cores: float
    """Processor time of the board by the time that passed."""
    sent_mb_s: float

    def words(self) -> str:
        """One line for people."""
        return (
            f"{self.open} event streams, {CHANGES_EACH_S} changes a second: {self.memory_mb:.0f} MB resident"
            f" ({self.grown_mb:.0f} MB for the streams), {100 * self.cores:.0f} % of one core,"
            f" {self.sent_mb_s:.1f} MB/s sent"
        )


class Listeners(threading.Thread):
    """Reads all streams in one thread."""

    def __init__(self, port: int, path: str, number: int) -> None:
        super().__init__(daemon=True)
        self._selector = selectors.DefaultSelector()
        self._ended = False
        self.read_bytes = 0
        self.tails: dict[int, bytes] = {}
        """The end of what each stream has said."""
        for _ in range(number):
            opened = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
            opened.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            opened.setblocking(False)
            self._selector.register(opened, selectors.EVENT_READ)

    def run(self) -> None:
        while not self._ended:
            for key, _ in self._selector.select(0.2):
                said = key.fileobj.recv(1 << 16)  # type: ignore[union-attr]
                self.read_bytes += len(said)
                self.tails[key.fd] = (self.tails.get(key.fd, b"") + said)[-(1 << 16) :]

    def close(self) -> None:
        """Hang up."""
        self._ended = True
        self.join(PATIENCE_S)
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()


def many_streams(board: BoardProcess, number: int, change: Callable[[], None]) -> Streams:
    """Open them, let the table speak for a while, and look at the board's process."""
    alone_mb = resident_mb(board.pid)
    listeners = Listeners(board.port, "/stream/table/north/7", number)
    listeners.start()
    wait(lambda: len(listeners.tails) == number)
    spent, began, read = processor_s(board.pid), time.monotonic(), listeners.read_bytes
    while time.monotonic() - began < WATCHED_S:
        change()
        time.sleep(1 / CHANGES_EACH_S)
    lasted = time.monotonic() - began
    spent, read = processor_s(board.pid) - spent, listeners.read_bytes - read
    all_mb = resident_mb(board.pid)
    listeners.tails.clear()
    change()

    def heard() -> int:
        return sum(b"event: table" in tail for tail in list(listeners.tails.values()))

    wait(lambda: heard() == number)
    told = heard()
    listeners.close()
    return Streams(number, told, all_mb, all_mb - alone_mb, spent / lasted, read / lasted / 1e6)


def wait(done: Callable[[], bool]) -> None:
    """Until it is so, or for so long."""
    end_s = time.monotonic() + PATIENCE_S
    while not done() and time.monotonic() < end_s:
        time.sleep(0.05)


def processor_s(pid: int) -> float:
    """User and system time of a process, seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
