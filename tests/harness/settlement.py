"""A settlement system as the contract tells integrators to build one: stores first, then acknowledges.

Written against the page, with nothing of the program: repeats are dropped by (epoch, sequence), what does not
follow is not taken, the chain of hashes and every signature is checked; ``historical``, ``keyid`` and
``signature`` are left out of the hash.
"""

from __future__ import annotations

import hashlib
import json
import threading
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Any

import paho.mqtt.client as paho
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from tests.harness.broker import leave
from tests.harness.keys import as_hashed
from tests.harness.patience import patiently


class Settlement:
    """Subscribes durably to the stream of one table. What it has taken stands in ``taken``, as hashed."""

    def __init__(
        self, port: int, base: str, name: str = "settlement", *, login: tuple[str, str] | None = None
    ) -> None:
        self.guard = threading.Condition()
        self.taken: list[bytes] = []
        self.messages: list[dict[str, Any]] = []
        self.repeats = 0
        self.out_of_turn = 0
        """Messages that came while one before them was missing; they came again later."""
        self.subscribed = 0
        """How often a broker has confirmed the subscription."""
        self.late = 0
        """Messages marked ``historical``."""
        self.wrong: list[str] = []
        """What no correct stream does."""
        self.retained: dict[str, bytes] = {}
        """The last payload of every other topic, empty where it was deleted."""
        self._base, self._name = base, name
        self._epoch: int | None = None
        self._hash = "0" * 64
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"{name}-of-{base.rsplit('/', 1)[-1]}",
            clean_session=False,
            protocol=MQTTProtocolVersion.MQTTv311,
        )
        if login is not None:
            self._client.username_pw_set(*login)
        self._client.on_connect = self._connected
        self._client.on_subscribe = self._subscribed
        self._client.on_message = self._arrived
        self._client.reconnect_delay_set(0.05, 0.05)  # type: ignore[arg-type]  # paho counts with any number
        self._client.connect_async("127.0.0.1", port, keepalive=5)
        self._client.loop_start()

    def _subscribed(self, *_: object) -> None:
        with self.guard:
            self.subscribed += 1
            self.guard.notify_all()

    def _connected(self, client: paho.Client, *_: object) -> None:
        client.subscribe([(f"{self._base}/#", 1)])
        with self.guard:
            self._acknowledge()

    def _arrived(self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage) -> None:
        topic = message.topic.removeprefix(self._base + "/")
        with self.guard:
            if topic == "events":
                self._take(bytes(message.payload))
            elif not topic.startswith(("acks/", "commands/")):
                self.retained[topic] = bytes(message.payload)
            self.guard.notify_all()

    def _take(self, payload: bytes) -> None:
        heard = json.loads(payload)
        if heard.get("historical"):
            self.late += 1
        if (doubt := self._doubt(heard, payload)) is not None:
            self.wrong.append(f"message {heard['sequence']}: {doubt}")
        payload = as_hashed(payload)
        epoch, sequence = heard["epoch"], heard["sequence"]
        self._epoch = self._epoch or epoch
        if epoch != self._epoch:
            self.wrong.append(f"epoch {epoch} after {self._epoch}")
        elif sequence <= len(self.taken):
            self.repeats += 1
            if payload != self.taken[sequence - 1]:
                self.wrong.append(f"message {sequence} came again with other bytes")
        elif sequence > len(self.taken) + 1:
            self.out_of_turn += 1
        elif heard["prevhash"] != self._hash:
            self.wrong.append(f"message {sequence} does not follow on the one before")
        else:
            self._hash = hashlib.sha256(payload).hexdigest()
            self.taken.append(payload)
            self.messages.append(heard)
            self._acknowledge()

    def _doubt(self, heard: dict[str, Any], payload: bytes) -> str | None:
        """Why it is not by the key that the table's status names, by another library than the table's own."""
        status = json.loads(self.retained.get("status") or b"{}")
        if "signature" not in heard:
            return "not signed"
        if "public_key" not in status or status["epoch"] != heard["epoch"]:
            return None  # its key is not known yet
        key = Ed25519PublicKey.from_public_bytes(urlsafe_b64decode(status["public_key"] + "="))
        try:
            signature = urlsafe_b64decode(heard["signature"] + "==")
            key.verify(signature, hashlib.sha256(as_hashed(payload)).digest())
        except InvalidSignature:
            return "signed by somebody else"
        return None

    def _acknowledge(self) -> None:
        if self.taken:
            ack = {"epoch": self._epoch, "sequence": len(self.taken), "hash": self._hash}
            self._client.publish(f"{self._base}/acks/{self._name}", json.dumps(ack), qos=1, retain=True)

    def say(self, topic: str, payload: bytes) -> None:
        self._client.publish(f"{self._base}/{topic}", payload, qos=1)

    def of(self, name: str) -> list[dict[str, Any]]:
        """The ``data`` of all messages of a name, as ``round.result``."""
        with self.guard:
            return [heard["data"] for heard in self.messages if heard["type"] == f"dealertable.{name}.v1"]

    def names(self) -> list[str]:
        with self.guard:
            return [heard["type"].removeprefix("dealertable.").removesuffix(".v1") for heard in self.messages]

    @property
    def display(self) -> dict[str, Any]:
        """The newest retained ``display``."""
        with self.guard:
            shown: dict[str, Any] = json.loads(self.retained.get("display") or b"{}")
            return shown

    def wait(self, so: Callable[[], bool], what: str) -> None:
        """Wait until it is so; fail where that takes too long."""
        with self.guard:
            if not patiently(lambda look_s: self.guard.wait_for(so, look_s)):
                raise AssertionError(f"it never is so: {what}; {len(self.taken)} messages taken")

    def stop(self) -> None:
        leave(self._client)
