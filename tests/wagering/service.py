"""The service as a process of its own, its configuration, and players who call it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from controller.settings.writing import toml_text
from tests.harness.broker import free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import PROGRAM, Program, until
from tests.wagering.sitting import Sitting

PLAYERS = {"ada": 100_000, "ben": 1_000}


class Service(Program):
    """``dealer-table wagering``; it keeps its port over restarts."""

    def __init__(self, folder: Path, broker_port: int, url: str, more: Mapping[str, object] = {}) -> None:
        self.port = free_port()
        for name in (*PLAYERS, "operator"):
            (folder / f"{name}.token").write_text(f"token-of-{name}\n")
        settings = {
            "broker": {"port": broker_port},
            "database": {"url": url},
            "http": {"port": self.port, "operator_token_file": "operator.token"},
            "tables": [{"site": "north", "id": "7"}],
            "players": [
                {"name": name, "token_file": f"{name}.token", "balance": balance}
                for name, balance in PLAYERS.items()
            ],
            **more,
        }
        file = folder / "wagering.toml"
        file.write_text(toml_text(settings))
        super().__init__([PROGRAM, "wagering", "--config", file], folder / "wagering.log")
        self._callers: list[Caller] = []
        self._sittings: list[Sitting] = []

    def __exit__(self, *error: object) -> None:
        for caller in self._callers:
            caller.http.close()
        super().__exit__(*error)
        for sitting in self._sittings:
            sitting.leave()

    def caller(self, name: str, token: str | None = None) -> Caller:
        """Somebody with a token, as long as this lasts."""
        self._callers.append(Caller(self, name, token))
        return self._callers[-1]

    def sit(self, player: str, table: str = "north/7") -> Sitting:
        """A player's seat, as long as this lasts."""
        self._sittings.append(Sitting(self.port, player, table))
        return self._sittings[-1]

    def start(self) -> None:
        """Start it, and wait until it answers."""
        super().start()
        self.until(self._answers, "the service answers")

    def _answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/api/v1/tables").status_code == 401
        except httpx.TransportError:
            return False


class Caller:
    """Somebody with a token."""

    def __init__(self, service: Service, name: str, token: str | None = None) -> None:
        headers = {"authorization": f"Bearer {token or f'token-of-{name}'}"}
        self.http = httpx.Client(
            base_url=f"http://127.0.0.1:{service.port}/api/v1", headers=headers, timeout=PATIENCE_S
        )
        self._calls = count(1)
        self.name = name

    def get(self, path: str) -> Any:
        """What the service says; the code of an error."""
        return said(self.http.get(path))

    def table(self) -> Any:
        """The table as players see it."""
        return self.get("/tables")[0]

    def wait_open(self, after: str | None) -> str:
        """Wait until bets of another round are open; its id."""
        until(lambda: (now := self.table())["phase"] == "betting" and now["round"] != after, "bets are open")
        return str(self.table()["round"])

    def bet(self, round_: str, *bets: tuple[str, object], **more: Any) -> Any:
        """Place bets."""
        wanted = [{"spot": spot, "stake": stake} for spot, stake in bets]
        return self.post("bets", {"round": round_, "bets": wanted, **more})

    def post(self, what: str, body: Mapping[str, Any], table: str = "north/7") -> Any:
        """A call that changes something."""
        named = {"id": f"{self.name}-{next(self._calls)}", **body}
        return said(self.http.post(f"/tables/{table}/{what}", json=named))


def said(response: httpx.Response) -> Any:
    """The answer; of an error the status and the code."""
    body = response.json()
    return (response.status_code, body["error"]["code"]) if response.status_code >= 400 else body
