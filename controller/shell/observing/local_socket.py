"""Sockets of this machine on which a table shows itself. They hand out, and take nothing.

Their threads are their own; whatever happens to them, the table plays on.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controller.vocabulary.errors import DealerTableError, why

log = logging.getLogger(__name__)
LONGEST_S = 2.0
"""A visitor that reads more slowly than that is let go."""
AGAIN_S = 1.0
"""After a visitor could not be let in."""
MOST_VISITORS = 4
SIGN_OF_LIFE = b"{}\n"
COMPLETE = b'{"complete":true}\n'
UNDER_KEY = b'{"under_key":%s}\n'


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
        self._closed = threading.Event()
        self._server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            path.unlink(missing_ok=True)
            self._server.bind(str(path))
            path.chmod(0o660)
            self._server.listen(MOST_VISITORS)
        except OSError as error:
            self._server.close()
            raise WindowError(f"{path}: no socket can be made there: {why(error)}") from error
        self._thread = threading.Thread(target=self._accept, name="local-socket", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while not self._closed.is_set():
            try:
                visitor, _ = self._server.accept()
            except OSError as error:  # closed, or too many files are open
                if not self._closed.wait(AGAIN_S):
                    log.warning("%s: nobody is let in: %s", self._path, why(error))
                continue
            if self._places.acquire(blocking=False):
                threading.Thread(target=self._welcome, args=(visitor,), daemon=True).start()
            else:
                visitor.close()

    def _welcome(self, visitor: socket.socket) -> None:
        with visitor:
            try:
                with contextlib.suppress(OSError):
                    visitor.settimeout(LONGEST_S)
                    self._serve(visitor)
            except Exception:  # whatever it is: the others are served
                log.exception("%s: a visitor cannot be served", self._path)
            finally:
                self._places.release()  # before the socket closes: whoever sees that may come again at once

    def close(self) -> None:
        """Accept nobody any more."""
        self._closed.set()
        try:
            self._server.shutdown(socket.SHUT_RDWR)
        except OSError:
            log.debug("the local socket was closed already")
        self._server.close()
        self._thread.join(LONGEST_S)
        self._path.unlink(missing_ok=True)


class LocalStream:
    """What the table retains at the broker, as it changes, for a result board on this machine.

    A visitor gets a line of JSON for each retained topic, then ``{"complete":true}``, then a line for each
    change, and an empty object twice a second: the sign that the loop itself still runs. So the table's own
    board and the dealer's page need no broker and no network.

    One thing comes here that no broker gets: ``{"under_key":...}``, an ``UnderKey`` while a supervisor's key
    is turned and there is such a card, null when that is over.

    The loop's thread leaves the newest state and goes on; a visitor that reads too slowly is let go.
    """

    def __init__(self, path: Path) -> None:
        """Raises WindowError if no socket can be made."""
        self._news = threading.Condition()
        self._retained: Mapping[str, bytes] = {}
        self._under_key: bytes | None = None
        self._beats = 0
        self._closed = False
        self._socket = LocalSocket(path, self._serve)

    def tell(self, retained: Mapping[str, bytes], under_key: bytes | None = None) -> None:
        """What is retained now, full topic -> payload, changed or not, and what a turned key opens: the loop
        runs. Does not block.
        """
        with self._news:
            self._retained, self._under_key = retained, under_key
            self._beats += 1
            self._news.notify_all()

    def _serve(self, visitor: socket.socket) -> None:
        told: Mapping[str, bytes] = {}
        named: bytes | None = None
        beats, end = 0, COMPLETE
        while (news := self._next(beats)) is not None:
            beats, retained, under_key = news
            changed = lines(told, retained)
            if under_key != named:  # names of before never stand beside what is shown now
                opened = b"" if under_key is None else UNDER_KEY % under_key
                changed = UNDER_KEY % b"null" + changed + opened
            visitor.sendall(changed + end)
            told, named, end = retained, under_key, SIGN_OF_LIFE

    def _next(self, beats: int) -> tuple[int, Mapping[str, bytes], bytes | None] | None:
        """Wait until there is more than ``beats``; None when the stream closes."""
        with self._news:
            self._news.wait_for(lambda: self._closed or beats != self._beats)
            return None if self._closed else (self._beats, self._retained, self._under_key)

    def close(self) -> None:
        """End every visitor's stream."""
        with self._news:
            self._closed = True
            self._news.notify_all()
        self._socket.close()


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
