"""The daemon as a program of its own, so that it can be killed."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from controller.demo.devices import DealerGone
from controller.vocabulary.display import ShownCard

LAST_LINES = 5
PATIENCE_S = 10.0
ENDS_S = 10.0
"""So long its ordinary end may take."""


class _Cards(msgspec.Struct):
    cards: list[ShownCard]


class _Device(msgspec.Struct):
    connected: bool


class _Seen(msgspec.Struct):
    """What we read of the window of a running table."""

    display: _Cards | None
    devices: dict[str, _Device]


class TableProgram:
    """``dealer-table run`` with a configuration; lives until it is killed."""

    def __init__(self, configuration: Path, watch: Callable[[int], None]) -> None:
        """``watch`` is told the number of its process at each start."""
        self._command = [sys.executable, "-m", "controller", "run", "--config", str(configuration)]
        self._log = configuration.with_suffix(".log")
        self._window = configuration.with_name("top")
        self._watch = watch
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def log(self) -> str:
        """Its last words."""
        lines = self._log.read_text(errors="replace").splitlines() if self._log.exists() else []
        return "\n".join(lines[-LAST_LINES:])

    def cards(self) -> list[str]:
        """The cards that lie face up, as the running table shows them."""
        seen = self._look()
        shown = () if seen is None or seen.display is None else seen.display.cards
        return [one.card for one in shown if one.card]

    def hears_all(self) -> bool:
        """Whether it has a connection to each of its devices."""
        try:
            seen = self._look()
        except OSError:
            return False
        return seen is not None and all(device.connected for device in seen.devices.values())

    def _look(self) -> _Seen | None:
        """What it shows, None while that is nothing yet."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(PATIENCE_S)
            window.connect(str(self._window))
            said = b"".join(iter(lambda: window.recv(65536), b""))
        return msgspec.json.decode(said, type=_Seen | None)

    def check(self) -> None:
        """:class:`DealerGone`, with its last words, where it has ended and nobody ended it."""
        if self._process is not None and self._process.poll() is not None:
            raise DealerGone(f"the table's program has ended\n{self.log}")

    def start(self) -> None:
        """Start it; returns at once."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._watch(self._process.pid)

    def end(self) -> None:
        """End it as its service does: the journal is closed, one file with all that is in it."""
        if self._process is not None:
            self._process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(ENDS_S)
        self.kill()

    def kill(self) -> None:
        """kill -9; returns when it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None
