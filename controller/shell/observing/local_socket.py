"""A socket of this machine on which a table shows itself. It hands out, and takes nothing.

Its threads are its own; whatever happens to them, the table plays on.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from controller.vocabulary.errors import DealerTableError

log = logging.getLogger(__name__)
LONGEST_S = 2.0
"""A visitor that reads more slowly than that is let go."""
MOST_VISITORS = 4


class WindowError(DealerTableError):
    """A window cannot be opened."""

    code = "window"


class LocalSocket:
    """Serves each visitor in a thread of its own; the mode of the socket's folder says who may connect."""

    def __init__(self, path: Path, serve: Callable[[socket.socket], None]) -> None:
        """``serve`` writes to one visitor, and returns at the latest when the socket closes.

        Raises WindowError if no socket can be made.
        """
        self._path, self._serve = path, serve
        self._places = threading.BoundedSemaphore(MOST_VISITORS)
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path.unlink(missing_ok=True)
            self._server.bind(str(path))
            path.chmod(0o660)
            self._server.listen(MOST_VISITORS)
        except OSError as error:
            self._server.close()
            raise WindowError(f"{path}: no socket can be made there: {error.strerror or error}") from error
        self._thread = threading.Thread(target=self._accept, name="local-socket", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                visitor, _ = self._server.accept()
            except OSError:
                return
            if self._places.acquire(blocking=False):
                threading.Thread(target=self._welcome, args=(visitor,), daemon=True).start()
            else:
                visitor.close()

    def _welcome(self, visitor: socket.socket) -> None:
        with visitor, contextlib.suppress(OSError):
            visitor.settimeout(LONGEST_S)
            self._serve(visitor)
        self._places.release()

    def close(self) -> None:
        """Accept nobody any more."""
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("the local socket was closed already")
        self._server.close()
        self._thread.join(LONGEST_S)
        self._path.unlink(missing_ok=True)
