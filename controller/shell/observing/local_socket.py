"""A socket of this machine that shows the last snapshot. It hands out, and takes nothing.

It runs in a thread of its own; whatever becomes of it, the table plays on.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from controller.shell.observing.snapshot import Observation
from controller.vocabulary.errors import DealerTableError

log = logging.getLogger(__name__)
Look = Callable[[], Observation | None]
LONGEST_S = 2.0
"""Whoever reads more slowly than that is let go."""


class WindowError(DealerTableError):
    """A window cannot be opened."""

    code = "window"


class LocalSocket:
    """One line of JSON, the snapshot, for each connection; the mode of the folder says who may connect."""

    def __init__(self, path: Path, look: Look) -> None:
        self._path, self._look = path, look
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path.unlink(missing_ok=True)
            self._server.bind(str(path))
            path.chmod(0o660)
            self._server.listen(4)
        except OSError as error:
            self._server.close()
            raise WindowError(f"{path}: no socket can be made there: {error.strerror or error}") from error
        self._thread = threading.Thread(target=self._serve, name="local-socket", daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                visitor, _ = self._server.accept()
            except OSError:
                return
            with visitor:
                visitor.settimeout(LONGEST_S)
                try:
                    visitor.sendall(msgspec.json.encode(self._look()) + b"\n")
                except OSError:
                    continue

    def close(self) -> None:
        """Nobody can look any more."""
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("the local socket was closed already")
        self._server.close()
        self._thread.join(LONGEST_S)
        self._path.unlink(missing_ok=True)
