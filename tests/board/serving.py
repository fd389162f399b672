"""The board as people start it: ``dealer-table board`` in a process of its own."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.harness.broker import free_port
from tests.harness.process import PATIENCE_S, PROGRAM, Program


class BoardProcess(Program):
    """A board on a port of its own, which it keeps over restarts; the options say whom it hears."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__([PROGRAM, "board", f"--port={self.port}", *options], folder / "board.log")

    def start(self) -> None:
        """Start and return when it says where it is."""
        before = self.printed_text.count(self.url)
        super().start()
        ends_s = time.monotonic() + PATIENCE_S
        while self.printed_text.count(self.url) == before:
            self.check()
            assert time.monotonic() < ends_s, self.log
            time.sleep(0.02)

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower case) and body of an address."""
        try:
            answer = urllib.request.urlopen(self.url + path, timeout=10)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, headers, answer.read()


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[BoardProcess]:
    """A board that runs."""
    running = BoardProcess(folder, *options)
    try:
        running.start()
        yield running
    finally:
        running.kill()
