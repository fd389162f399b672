"""What can be seen of a table from outside: taken in its loop's thread, shown by the configured windows."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from controller.settings.model import Configuration
from controller.shell.observing.local_socket import LocalSocket, LocalStream
from controller.shell.observing.snapshot import Observation
from controller.vocabulary.display import UnderKey

log = logging.getLogger(__name__)
EVERY_S = 0.5


def socket_path(named: str | None, name: str) -> Path | None:
    """The path ``named`` in the configuration, or ``name`` in the folder that the service manager made."""
    if named is not None:
        return Path(named)
    folder = os.environ.get("RUNTIME_DIRECTORY", "").partition(":")[0]
    return Path(folder) / name if folder else None


class Watching:
    """The open windows. :meth:`look` is for the thread of the loop, everything else for the windows."""

    def __init__(
        self,
        configuration: Configuration,
        take: Callable[[], Observation],
        retained: Callable[[], Mapping[str, bytes]],
        under_key: Callable[[], UnderKey | None],
    ) -> None:
        """``take`` makes a snapshot; ``retained`` gives what the broker is to retain, ``under_key`` what the
        table's own board may name beside that.

        Raises WindowError if a window cannot be opened.
        """
        self._take, self._retained, self._under_key = take, retained, under_key
        self._next_s = 0.0
        self._last: Observation | None = None
        self._told: Mapping[str, bytes] | None = None
        self._named: UnderKey | None = None
        self._stream: LocalStream | None = None
        observe = configuration.observe
        top, board = socket_path(observe.socket, "top"), socket_path(observe.board_socket, "board")
        self._seen = top is not None or board is not None or observe.metrics_port is not None
        with ExitStack() as windows:
            if top is not None:
                windows.callback(LocalSocket(top, self._show).close)
            if board is not None:
                self._stream = LocalStream(board)
                windows.callback(self._stream.close)
            if observe.metrics_port is not None:
                from controller.shell.observing.metrics import metrics_page

                windows.callback(metrics_page(observe.metrics_port, lambda: self._last).close)
            self._windows = windows.pop_all()

    def _show(self, visitor: socket.socket) -> None:
        visitor.sendall(msgspec.json.encode(self._last) + b"\n")

    def look(self) -> None:
        """Tell the board at once what changed; take a snapshot when one is due."""
        now_s = time.monotonic()
        due = self._seen and now_s >= self._next_s
        if due:
            self._next_s = now_s + EVERY_S
            self._last = self._take()
        if self._stream is not None:
            retained, named = self._retained(), self._under_key()
            if due or retained is not self._told or named != self._named:
                self._told, self._named = retained, named
                self._stream.tell(retained, None if named is None else msgspec.json.encode(named))

    def close(self) -> None:
        """Close every window."""
        self._windows.close()
