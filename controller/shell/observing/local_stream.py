"""A socket of this machine that tells a result board what the table retains, as it changes. Takes nothing.

A visitor gets a line of JSON for each retained topic, then ``{"complete":true}``, then a line for each
change, and an empty object twice a second: the sign that the loop itself still turns. So the table's own
board and the dealer's page need no broker and no network. Nothing else is told here than the broker gets.

The loop's thread leaves the newest state and goes on; each visitor is served by a thread of its own, and one
that reads too slowly is let go.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.shell.observing.local_socket import LONGEST_S, WindowError

log = logging.getLogger(__name__)
MOST_VISITORS = 4
SIGN_OF_LIFE = b"{}\n"
COMPLETE = b'{"complete":true}\n'


class LocalStream:
    """The socket at ``path``; the mode of its folder says who may connect."""

    def __init__(self, path: Path) -> None:
        """Raises WindowError where no socket can be made."""
        self._path = path
        self._news = threading.Condition()
        self._letters: Mapping[str, bytes] = {}
        self._beats = 0
        self._closed = False
        self._visitors = 0
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path.unlink(missing_ok=True)
            self._server.bind(str(path))
            path.chmod(0o660)
            self._server.listen(MOST_VISITORS)
        except OSError as error:
            self._server.close()
            raise WindowError(f"{path}: no socket can be made there: {error.strerror or error}") from error
        self._thread = threading.Thread(target=self._accept, name="local-stream", daemon=True)
        self._thread.start()

    def tell(self, letters: Mapping[str, bytes]) -> None:
        """This is retained now, full topic -> payload; or it still is, and the loop turns. Does not block."""
        with self._news:
            self._letters = letters
            self._beats += 1
            self._news.notify_all()

    def _accept(self) -> None:
        while True:
            try:
                visitor, _ = self._server.accept()
            except OSError:
                return
            with self._news:
                full = self._visitors >= MOST_VISITORS
                self._visitors += not full
            if full:
                visitor.close()
                continue
            threading.Thread(target=self._serve, args=(visitor,), name="local-visitor", daemon=True).start()

    def _serve(self, visitor: socket.socket) -> None:
        told: Mapping[str, bytes] = {}
        beats, first = 0, True
        with visitor, contextlib.suppress(OSError):
            visitor.settimeout(LONGEST_S)
            while (news := self._next(beats)) is not None:
                beats, letters = news
                visitor.sendall(lines(told, letters) + (COMPLETE if first else SIGN_OF_LIFE))
                told, first = letters, False
        with self._news:
            self._visitors -= 1

    def _next(self, beats: int) -> tuple[int, Mapping[str, bytes]] | None:
        """Wait until the loop has turned since ``beats``; None when the window closes."""
        with self._news:
            self._news.wait_for(lambda: self._closed or beats != self._beats)
            return None if self._closed else (self._beats, self._letters)

    def close(self) -> None:
        """Nobody is told anything any more."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("the local stream was closed already")
        self._server.close()
        self._thread.join(LONGEST_S)
        self._path.unlink(missing_ok=True)


def lines(before: Mapping[str, bytes], now: Mapping[str, bytes]) -> bytes:
    """A line for each topic that changed, ``payload`` null where it is no longer retained."""
    if before is now:
        return b""
    changed = {topic: body for topic, body in now.items() if before.get(topic) != body}
    gone = {topic: b"null" for topic in before if topic not in now}
    return b"".join(
        b'{"topic":%s,"payload":%s}\n' % (msgspec.json.encode(topic), body)
        for topic, body in {**gone, **changed}.items()
    )
