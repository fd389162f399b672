"""The table's own side of the board: the daemon's local socket instead of a broker.

What comes are the same topics and payloads as a broker retains, so the pages know no difference; a network
that is cut and a broker that is gone do not matter here. Nothing is ever written to the socket.
"""

from __future__ import annotations

import logging
import socket
import time
from pathlib import Path

import msgspec

from controller.board.floor import MOST_BYTES
from controller.board.source import LOOK_EVERY_S, Follower, Listener
from controller.vocabulary.errors import NOT_JSON

RETRY_S = 0.2
_LOG = logging.getLogger(__name__)


class FeedLine(msgspec.Struct, frozen=True):
    """One line of the stream; with neither it is a sign of life."""

    topic: str | None = None
    payload: msgspec.Raw = msgspec.Raw(b"null")
    complete: bool = False


class StreamBroken(Exception):
    """What comes is not the stream of a table."""


class LocalFeed(Follower):
    """Follows the socket at ``path``; a daemon that is not there is looked for again."""

    def __init__(self, path: Path, listener: Listener) -> None:
        super().__init__("board-local-feed", _LOG, listener)
        self._path = path

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._follow()
                trouble = f"{self._path}: the table's controller has hung up"
            except (OSError, StreamBroken) as error:
                trouble = f"{self._path}: {error}"
            self._say_alive(False)
            self._complain(trouble)
            self._stop.wait(RETRY_S)

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
                    if self._judge(time.monotonic() - heard_s):
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
            line = msgspec.json.decode(text, type=FeedLine)
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
