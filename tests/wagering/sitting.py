"""The stream of a seat, as a page hears it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from typing import Any

from tests.harness.patience import PATIENCE_S, patiently


class Sitting(threading.Thread):
    """Keeps the newest of each event, and every byte."""

    def __init__(self, port: int, player: str, table: str) -> None:
        super().__init__(daemon=True)
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        asked = f"GET /api/v1/tables/{table}/stream HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        self._socket.sendall(f"{asked}Authorization: Bearer token-of-{player}\r\n\r\n".encode())
        self._guard = threading.Condition()
        self.whole = b""
        self.last: dict[str, Any] = {}
        self.ended = False
        self.start()

    def run(self) -> None:
        rest = b""
        try:
            while said := self._socket.recv(65536):
                self.whole += said
                *events, rest = (rest + said.replace(b"\r\n", b"\n")).split(b"\n\n")
                with self._guard:
                    for event in events:
                        self._hear(event)
                    self._guard.notify_all()
        except OSError:
            pass
        finally:
            self._socket.close()
        with self._guard:
            self.ended = True
            self._guard.notify_all()

    def _hear(self, event: bytes) -> None:
        lines = dict(line.split(": ", 1) for line in event.decode().splitlines() if ": " in line)
        if "event" in lines:
            self.last[lines["event"]] = json.loads(lines["data"])

    def wait(self, so: Any, what: str = "") -> None:
        """Until it is so of :attr:`last`."""

        def now() -> bool:
            try:
                return bool(so(self.last))
            except (KeyError, IndexError):
                return False

        with self._guard:
            assert patiently(lambda look_s: self._guard.wait_for(now, look_s)), (
                what,
                self.last,
                self.whole[-2000:],
            )

    def leave(self) -> None:
        """Hang up, where the service did not."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self.join(PATIENCE_S)
