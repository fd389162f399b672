"""Players who call over HTTP until they are answered, whatever is killed, and seats that hang up."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.harness.patience import PATIENCE_S

AGAIN_S = 0.05
NOT_YET = (429, 503)
KEPT = "the wallet did not answer"
"""The one 503 that is an answer: of the same id no other comes."""


@dataclass(frozen=True)
class Asked:
    """A call, as it is sent again with its id."""

    player: str
    round: str
    what: str
    """``bets``, ``bets/undo`` or ``decisions``."""
    body: Mapping[str, Any]


class Line:
    """One connection for each thread that asks; a new one where it broke."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._open: dict[int, http.client.HTTPConnection] = {}

    def ask(self, player: str, path: str, body: Mapping[str, Any] | None = None) -> tuple[int, Any]:
        """Status and answer of a call below ``/api/v1``. AssertionError where none comes."""
        end_s = time.monotonic() + 2 * PATIENCE_S
        while time.monotonic() < end_s:
            try:
                status, said = self._once(player, path, body)
            except (OSError, http.client.HTTPException):
                self._open.pop(threading.get_ident()).close()
            else:
                if status not in NOT_YET or KEPT in said:
                    return status, json.loads(said)
            time.sleep(AGAIN_S)
        raise AssertionError(f"{player} gets no answer: {path} {body}")

    def _once(self, player: str, path: str, body: Mapping[str, Any] | None) -> tuple[int, str]:
        me = threading.get_ident()
        if me not in self._open:
            self._open[me] = http.client.HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE_S)
        method, sent = ("GET", None) if body is None else ("POST", json.dumps(body))
        headers = {"authorization": f"Bearer token-of-{player}"}
        self._open[me].request(method, f"/api/v1/{path}", sent, headers)
        answer = self._open[me].getresponse()
        return answer.status, answer.read().decode()

    def close(self) -> None:
        """Hang up, for every thread."""
        for connection in self._open.values():
            connection.close()


class Seat:
    """The stream of a player's page; who hangs up while bets are open leaves the game."""

    def __init__(self, port: int, player: str) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        asked = "GET /api/v1/tables/north/7/stream HTTP/1.1\r\nHost: localhost\r\n"
        self._socket.sendall(f"{asked}Authorization: Bearer token-of-{player}\r\n\r\n".encode())
        said = self._socket.recv(1 << 16)
        assert not said or b" 200 " in said, said

    def close(self) -> None:
        """Hang up."""
        self._socket.close()
