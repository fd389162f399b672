"""Somebody who hears everything on a table's topics and says nothing."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from tests.harness.broker import leave

BASE = "dealer-table/v1/north/7/"
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Heard:
    """One message as it came."""

    at_s: float
    topic: str
    """Behind the table's base."""
    body: dict[str, Any] | None
    retained: bool


class Listener:
    """Comes back by itself when the broker does."""

    def __init__(self, port: int) -> None:
        self.guard = threading.Condition()
        self.heard: list[Heard] = []
        self._client = paho.Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe(f"{BASE}#", 1)
        self._client.on_message = self._arrived
        self._client.reconnect_delay_set(0.01, 0.01)  # type: ignore[arg-type]  # paho counts with any number
        self._client.connect_async("127.0.0.1", port)
        self._client.loop_start()

    def _arrived(self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage) -> None:
        now_s = time.monotonic()
        body = None
        with suppress(ValueError):  # an empty one deletes; a unit's question to the others is no JSON
            body = json.loads(message.payload)
        with self.guard:
            self.heard.append(Heard(now_s, message.topic.removeprefix(BASE), body, message.retain))
            self.guard.notify_all()

    def of(self, topic: str, since: int = 0) -> list[Heard]:
        """What came on a topic, from the n-th message on."""
        with self.guard:
            return [heard for heard in self.heard[since:] if heard.topic == topic]

    def wait(self, topic: str, so: Callable[[dict[str, Any]], bool], since: int = 0) -> Heard:
        """The first message of a topic, from the n-th on, of which it is so."""
        found: list[Heard] = []

        def there() -> bool:
            found[:] = [heard for heard in self.of(topic, since) if heard.body and so(heard.body)]
            return bool(found)

        with self.guard:
            if not self.guard.wait_for(there, PATIENCE_S):
                raise AssertionError(f"nothing such on {topic} in {PATIENCE_S} s")
        return found[0]

    def stop(self) -> None:
        """Go."""
        leave(self._client)
