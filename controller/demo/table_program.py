"""The daemon as a program of its own, so that it can be killed."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from controller.vocabulary.display import ShownCard

LAST_LINES = 5
PATIENCE_S = 10.0


class _Cards(msgspec.Struct):
    cards: list[ShownCard]


class _Seen(msgspec.Struct):
    """What we read of the window of a running table."""

    display: _Cards


class TableProgram:
    """``dealer-table run`` with a configuration; lives until it is killed."""

    def __init__(self, configuration: Path) -> None:
        self._command = [sys.executable, "-m", "controller", "run", "--config", str(configuration)]
        self._log = configuration.with_suffix(".log")
        self._window = configuration.with_name("top")
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    @property
    def log(self) -> str:
        """Its last words."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        return "\n".join(lines[-LAST_LINES:])

    def cards(self) -> list[str]:
        """The cards that lie face up, as the running table shows them."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(PATIENCE_S)
            window.connect(str(self._window))
            said = b"".join(iter(lambda: window.recv(65536), b""))
        return [one.card for one in msgspec.json.decode(said, type=_Seen).display.cards if one.card]

    def start(self) -> None:
        """Start it; returns at once."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )

    def kill(self) -> None:
        """kill -9; returns when it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
