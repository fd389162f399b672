"""The settlement example as a process, and a table of the test's own that says what the test wants."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.harness.broker import Broker, leave
from tests.harness.house import BASE
from tests.node import EXAMPLES, NODE

PATIENCE_S = 60.0
BETS = [
    {"account": "anna", "spot": "player", "stake": 1000},
    {"account": "bert", "spot": "banker", "stake": 333},
    {"account": "bert", "spot": "tie", "stake": 50},
    {"account": "carl", "spot": "player_pair", "stake": 25},
    {"account": "dora", "spot": "banker_pair", "stake": 7},
]


class Node:
    """The example as a process. ``told`` is what it said on standard error."""

    def __init__(self, folder: Path, port: int, *, name: str = "paydesk") -> None:
        self.folder, self.told = folder, list[dict[str, Any]]()
        folder.mkdir(exist_ok=True)
        (folder / "bets.json").write_text(json.dumps(BETS))
        files = ["--bets", folder / "bets.json", "--ledger", folder / "ledger.jsonl"]
        self._call = [NODE, EXAMPLES / "settlement" / "consumer.mjs", *map(str, files)]
        self._more = ["--broker", f"mqtt://127.0.0.1:{port}", "--table", "north/7", "--name", name]
        self._process: subprocess.Popen[str] | None = None
        self.heard = threading.Condition()

    def start(self) -> None:
        self._process = subprocess.Popen([*self._call, *self._more], stderr=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as lines:
            for line in lines:
                with self.heard:
                    self.told.append(
                        json.loads(line) if line.startswith("{") else {"code": "?", "message": line}
                    )
                    self.heard.notify_all()

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        process, self._process = self._process, None
        assert process is not None
        process.send_signal(number)
        return process.wait(PATIENCE_S)

    def codes(self) -> list[str]:
        with self.heard:
            return [word["code"] for word in self.told]

    def wait_told(self, code: str) -> None:
        with self.heard:
            assert self.heard.wait_for(lambda: any(word["code"] == code for word in self.told), PATIENCE_S), (
                code
            )

    def report(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(
            subprocess.run([*self._call, "--report"], check=True, capture_output=True, text=True).stdout
        )
        return told

    def lines(self) -> list[dict[str, Any]]:
        """The whole lines of its ledger."""
        path = self.folder / "ledger.jsonl"
        text = path.read_text() if path.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


@contextmanager
def node(folder: Path, port: int, **more: str) -> Iterator[Node]:
    running = Node(folder, port, **more)
    running.start()
    try:
        yield running
    finally:
        if running._process is not None:
            running.end()


class MadeUpTable:
    """A table of the test's own: says what it is told to, and hears acknowledgements and commands."""

    def __init__(
        self,
        broker: Broker,
        *,
        consumer: str = "paydesk",
        prepare: Callable[[paho.Client], object] = lambda client: None,
    ) -> None:
        self._consumer = consumer
        self.heard = threading.Condition()
        self.acks: list[dict[str, Any]] = []
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        prepare(self._client)
        self._client.on_message = self._message
        self._client.on_connect = lambda client, *_: client.subscribe(
            [(f"{BASE}/acks/+", 1), (f"{BASE}/commands/+", 1)]
        )
        self._client.connect("127.0.0.1", broker.port)
        self._client.loop_start()

    def _message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        with self.heard:
            value, name = json.loads(message.payload), message.topic.rsplit("/", 1)[-1]
            if "/acks/" in message.topic:
                self.acks.append(value)
            else:
                self.commands.append((name, value))
                if name == "snapshot":
                    answer = {
                        "id": value["id"],
                        "ok": True,
                        "epoch": 5,
                        "sequence": 0,
                        "cursors": {self._consumer: 0},
                    }
                    self._client.publish(f"{BASE}/replies/{value['id']}", json.dumps(answer), qos=1)
            self.heard.notify_all()

    def show(self, topic: str, value: dict[str, Any]) -> None:
        """A retained topic."""
        self._client.publish(f"{BASE}/{topic}", json.dumps(value), qos=1, retain=True)

    def say(self, body: bytes) -> None:
        self._client.publish(f"{BASE}/events", body, qos=1)

    def wait(self, so: Any) -> None:
        with self.heard:
            assert self.heard.wait_for(so, PATIENCE_S), (self.acks, self.commands)

    def stop(self) -> None:
        leave(self._client)
