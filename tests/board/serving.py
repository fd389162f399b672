"""The board as people start it: ``dealer-table board`` in a process of its own."""

from __future__ import annotations

import urllib.error
import urllib.request
from pathlib import Path

from tests.harness.broker import free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program


class BoardProcess(Program):
    """A board on a port of its own, which it keeps over restarts; the options say whom it hears."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        super().__init__([PROGRAM, "board", f"--port={self.port}", *options], folder / "board.log")

    def start(self) -> None:
        """Start and return when it says where it is."""
        before = len(self.printed)
        super().start()
        self.wait_printed(f":{self.port}/", before)

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower case) and body of an address."""
        try:
            answer = urllib.request.urlopen(self.url + path, timeout=PATIENCE_S)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            headers = {name.lower(): value for name, value in answer.headers.items()}
            return answer.status, headers, answer.read()
