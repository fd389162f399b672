"""The settlement example as a process, and a table of the test's own that says what the test wants."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.harness.broker import Broker, leave
from tests.harness.house import BASE
from tests.harness.keys import SIGNER
from tests.harness.patience import patiently
from tests.harness.process import Program
from tests.node import EXAMPLES, NODE

AGAIN_S = 0.3

BETS = [
    {"account": "anna", "spot": "player", "stake": 1000},
    {"account": "bert", "spot": "banker", "stake": 333},
    {"account": "bert", "spot": "tie", "stake": 50},
    {"account": "carl", "spot": "player_pair", "stake": 25},
    {"account": "dora", "spot": "banker_pair", "stake": 7},
]


class Node(Program):
    """The example of a settlement system, and its ledger."""

    def __init__(self, folder: Path, port: int, *words: str) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "bets.json").write_text(json.dumps(BETS))
        self._ledger = folder / "ledger.jsonl"
        self._call: list[str | Path] = [NODE, EXAMPLES / "settlement" / "consumer.mjs"]
        self._call += ["--bets", folder / "bets.json", "--ledger", self._ledger]
        more = ["--broker", f"mqtt://127.0.0.1:{port}", "--table", "north/7", "--name", "paydesk", *words]
        super().__init__([*self._call, *more], folder / "desk.log")

    def codes(self) -> list[str]:
        """Of all that it said on standard error."""
        lines = [line for line in self.log.splitlines(keepends=True) if line.endswith("\n")]
        return [json.loads(line)["code"] if line.startswith("{") else "?" for line in lines]

    def wait_told(self, code: str) -> None:
        self.until(lambda: code in self.codes(), code)

    def report(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(subprocess.check_output([*self._call, "--report"]))
        return told

    def lines(self) -> list[dict[str, Any]]:
        """The whole lines of its ledger."""
        text = self._ledger.read_text() if self._ledger.exists() else ""
        return [json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n")]


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
        self.show("status", {"state": "online", "epoch": 5, "sequence": 0, "public_key": SIGNER.key})

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

    def say_until(self, body: bytes, so: Callable[[], bool]) -> None:
        """Say it until it is so: a consumer takes nothing before it knows where it begins."""

        def again(look_s: float) -> bool:
            self.say(body)
            with self.heard:
                return self.heard.wait_for(so, min(look_s, AGAIN_S))

        assert patiently(again), (self.acks, self.commands)

    def wait(self, so: Any) -> None:
        with self.heard:
            assert patiently(lambda look_s: self.heard.wait_for(so, look_s)), (self.acks, self.commands)

    def stop(self) -> None:
        leave(self._client)
