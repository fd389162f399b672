"""A house's wallet as its house would run it, which fails when it is told to: before a call, or after it."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal, Self

Failure = Literal["before", "after"] | None


class HouseWallet:
    """Balances of players; each id happens once."""

    def __init__(self, **balances: int) -> None:
        self.balances = balances
        self.calls: list[tuple[str, str]] = []
        """Kind and id of every call that came."""
        self.done: dict[str, tuple[str, str, int]] = {}
        """Id of what happened -> kind, player, amount."""
        self.undone: set[str] = set()
        self.fails: Callable[[int, str], Failure] = lambda number, kind: None
        """Number and kind of a call -> whether it fails before it is carried out, or after."""
        self.guard: AbstractContextManager[object] = threading.Lock()
        """One call at a time."""
        wallet = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
                status, balance = wallet.carry_out(
                    self.path.rpartition("/")[2], asked["id"], asked["player"], asked["amount"]
                )
                if status == 0:
                    self.close_connection = True
                    return
                body = json.dumps({"balance": balance}).encode()
                self.send_response(status)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/wallet"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def carry_out(self, kind: str, name: str, player: str, amount: int) -> tuple[int, int]:
        """Status, 0 for a connection that ends without an answer, and balance."""
        with self.guard:
            self.calls.append((kind, name))
            failure = self.fails(len(self.calls), kind)
            if failure == "before":
                return 500, 0
            status = (
                self._rollback(name, player) if kind == "rollback" else self._move(kind, name, player, amount)
            )
            return (0 if failure == "after" else status), self.balances.get(player, 0)

    def _move(self, kind: str, name: str, player: str, amount: int) -> int:
        if name in self.undone:
            return 402
        if name not in self.done:
            if kind == "debit" and self.balances.get(player, 0) < amount:
                return 402
            self.balances[player] = self.balances.get(player, 0) + (amount if kind == "credit" else -amount)
            self.done[name] = kind, player, amount
        assert self.done[name] == (kind, player, amount), "an id was used twice"
        return 200

    def _rollback(self, name: str, player: str) -> int:
        if name in self.done and name not in self.undone:
            assert self.done[name][:2] == ("debit", player)
            self.balances[player] += self.done[name][2]
        self.undone.add(name)
        return 200
