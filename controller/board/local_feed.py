"""The table's own side of the board: the daemon's local socket instead of a broker.

What comes are the same topics and payloads as a broker retains, so the pages know no difference; a network
that is cut and a broker that is gone do not matter here. Nothing is ever written to the socket.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from pathlib import Path

import msgspec

from controller.board.feed import HANG_UP_AFTER_S, RETRY_S, SILENT_AFTER_S, Listener
from controller.board.floor import MOST_BYTES
from controller.vocabulary.errors import NOT_JSON

LOOK_EVERY_S = 0.1
_LOG = logging.getLogger(__name__)


class Line(msgspec.Struct, frozen=True):
    """One line of the stream; with neither it is a sign of life."""

    topic: str | None = None
    payload: msgspec.Raw = msgspec.Raw(b"null")
    complete: bool = False


class StreamBroken(Exception):
    """What comes is not the stream of a table."""


class LocalFeed:
    """Follows the socket at ``path`` until :meth:`stop`; a daemon that is not there is looked for again."""

    def __init__(self, path: Path, listener: Listener) -> None:
        self._path = path
        self._listener = listener
        self._stop = threading.Event()
        self._alive = False
        self._complaint: str | None = None
        self._thread = threading.Thread(target=self._run, name="board-local-feed", daemon=True)

    def start(self) -> None:
        """Begin to look for the daemon."""
        self._thread.start()

    def stop(self) -> None:
        """Hang up and wait."""
        self._stop.set()
        self._thread.join(10)

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
                trouble = f"{self._path}: the table's controller has hung up"
            except (OSError, StreamBroken) as error:
                trouble = f"{self._path}: {error}"
            self._say_alive(False)
            if trouble != self._complaint and not self._stop.is_set():
                _LOG.warning("no signal: %s", trouble)
            self._complaint = trouble
            self._stop.wait(RETRY_S[0])

    def _follow(self) -> None:
        """One connection, to its end."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as window:
            window.settimeout(LOOK_EVERY_S)
            window.connect(str(self._path))
            self._listener.connected()
            rest = b""
            heard_s = time.monotonic()
            while not self._stop.is_set():
                try:
                    said = window.recv(1 << 16)
                except TimeoutError:
                    said = None
                if said == b"":
                    return
                if said is None:
                    silent_s = time.monotonic() - heard_s
                    if silent_s > SILENT_AFTER_S:
                        self._say_alive(False)
                    if silent_s > HANG_UP_AFTER_S:
                        raise StreamBroken("the table's controller does not answer")
                    continue
                heard_s = time.monotonic()
                *whole, rest = (rest + said).split(b"\n")
                if len(rest) > 2 * MOST_BYTES:
                    raise StreamBroken("a line without end")
                for line in whole:
                    self._heard(line)

    def _heard(self, text: bytes) -> None:
        try:
            line = msgspec.json.decode(text, type=Line)
        except NOT_JSON as error:
            raise StreamBroken(f"that is no stream of a table: {error}") from error
        if line.topic is not None:
            payload = bytes(line.payload)
            self._listener.heard(line.topic, b"" if payload == b"null" else payload)
            return
        if line.complete:
            self._listener.complete()
            self._complaint = None
        self._say_alive(True)

    def _say_alive(self, alive: bool) -> None:
        if alive != self._alive:
            self._alive = alive
            self._listener.alive(alive)
