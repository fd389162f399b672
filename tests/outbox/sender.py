"""A table's outbox without a table: a journal and a publisher, stepped by the test."""

from __future__ import annotations

import json
import select
import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.journal.sqlite import SqliteJournal
from controller.outbox.broker import BrokerSettings
from controller.outbox.commands import CommandArrived
from controller.outbox.envelope import StreamHead, envelope
from controller.outbox.publisher import Publisher
from controller.outbox.retained import Unit
from controller.outbox.signature import Signer
from controller.outbox.topics import Topics, topics_of
from controller.vocabulary.conditions import Condition
from controller.vocabulary.events import ConditionChanged
from tests.harness.broker import Broker, leave
from tests.harness.keys import SIGNER
from tests.harness.patience import PATIENCE_S, Patience
from tests.harness.process import until
from tests.journal.scratch import scratch_journal
from tests.shell.watched import Watched

TOPICS = topics_of("north", "7")


def wall() -> datetime:
    """The wall time of all tests here."""
    return datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def write(journal: SqliteJournal, count: int, record: bytes = b"record", source: str = TOPICS.source) -> None:
    """Commit ``count`` messages, each with the record that asked for it."""
    head = StreamHead(journal.epoch, journal.stream_head + 1, journal.stream_hash)
    bodies = []
    for _ in range(count):
        body = envelope(
            head,
            source=source,
            mode="live",
            name="round.card",
            subject="1",
            time="2026-01-02T03:04:05Z",
            data={"number": head.sequence},
        )
        bodies.append(body)
        head = head.after(body)
    journal.commit([record] * count, bodies, counts=[1] * count)


def ack(epoch: int, sequence: int, **more: Any) -> bytes:
    """What a consumer writes."""
    return json.dumps({"epoch": epoch, "sequence": sequence, **more}).encode()


def connectors_end() -> None:
    """Wait until no thread is about to connect any more."""
    for thread in threading.enumerate():
        if thread.name == "mqtt-connect":
            thread.join(PATIENCE_S)


class Sender:
    """Journal and publisher. Everything happens in ``run_until`` and its like."""

    def __init__(
        self,
        broker: Broker,
        *,
        journal: SqliteJournal | None = None,
        consumers: Sequence[str] = (),
        boot: int = 1,
        ack_timeout_s: float = 30.0,
        port: int | None = None,
        wall_clock: Callable[[], datetime] = wall,
        look_first: bool = False,
        previous: int | None = None,
        topics: Topics = TOPICS,
        signer: Signer = SIGNER,
        **settings: Any,
    ) -> None:
        self.topics = topics
        self.journal: SqliteJournal = journal if journal is not None else scratch_journal()
        self.commands: list[CommandArrived] = []
        self.ahead_s = 0.0
        """Added to the monotonic time: how a test lets time pass."""
        self.publisher = Publisher(
            topics=topics,
            broker=BrokerSettings(
                client_id=topics.source.replace("/", "-"),
                host=broker.host,
                port=port or broker.port,
                **settings,
            ),
            unit=Unit(boot=boot, version="1.0", digest="d" * 64),
            signer=signer,
            consumers=consumers,
            ack_timeout_s=ack_timeout_s,
            stream=self.journal,
            wall=wall_clock,
            look_first=look_first,
            previous=previous,
        )

        self.told: list[str] = []
        """Conditions in the order of their changes: ``broker is said``, ``listeners is over``."""
        self._watched = Watched(lambda now: self.publisher.conditions(now.monotonic_ns / 1e9))

    def __enter__(self) -> Sender:
        self.publisher.start(self.now_s())
        return self

    def __exit__(self, *_: object) -> None:
        self.publisher.stop()

    def now_s(self) -> float:
        return time.monotonic() + self.ahead_s

    def step(self, longest_s: float = 0.02) -> None:
        """Wait for the broker for a moment, and poll."""
        wait_s = max(min(self.publisher.due_s(self.now_s()) - self.now_s(), longest_s), 0.0)
        waiting = select.poll()
        if (interest := self.publisher.interest()) is not None:
            waiting.register(*interest)
        waiting.poll(wait_s * 1000)
        self.poll()
        self.publisher.flush_cursors(self.now_s())

    def run_until(self, condition: Callable[[], bool]) -> None:
        """Step until it is so; fail when it takes too long."""
        until(condition, lambda: (self.held, self.publisher.counters), self.step)

    def connect(self) -> None:
        self.run_until(lambda: self.publisher.counters.listening)

    def write(self, count: int = 1) -> None:
        write(self.journal, count, source=self.topics.source)
        self.poll()

    def poll(self) -> None:
        """Poll, and record what a table would: commands, and conditions that begin, change or end."""
        self.commands += self.publisher.poll(self.now_s())
        self.told += self._watched.look(int(self.now_s() * 1e9))

    @property
    def held(self) -> dict[str, Condition]:
        """The conditions that hold now."""
        return self._watched.held

    @property
    def changes(self) -> list[ConditionChanged]:
        """The same as events."""
        return self._watched.changes

    def told_of(self, *begins: str) -> list[str]:
        """What was told of conditions that begin so."""
        return [told for told in self.told if told.startswith(begins)]

    def message(self, name: str) -> str:
        """What a condition that holds says."""
        return self.held[name].message


class Heard:
    """One message as a listener got it."""

    def __init__(self, message: paho.MQTTMessage) -> None:
        self.topic = message.topic.removeprefix(TOPICS.base + "/")
        self.payload = bytes(message.payload)
        self.retained = message.retain
        self.content_type = getattr(message.properties, "ContentType", None)
        self.at_s = time.monotonic()

    @property
    def body(self) -> dict[str, Any] | None:
        """What the payload says; None for one that deletes, and for a unit's question to the others."""
        try:
            said: dict[str, Any] = json.loads(self.payload)
        except ValueError:
            return None
        return said

    def __repr__(self) -> str:
        return f"{self.topic}{' (retained)' if self.retained else ''}: {self.payload[:80]!r}"


class Listener:
    """An ordinary subscriber and publisher, of plain paho; it ends with its broker, or comes back with it."""

    def __init__(
        self, broker: Broker, *filters: str, qos: int = 1, comes_back: bool = False, **login: str
    ) -> None:
        self.heard: list[Heard] = []
        self._ready = threading.Event()
        self._filters = [(f"{TOPICS.base}/{name}", qos) for name in filters]
        self.client = paho.Client(
            CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=comes_back
        )
        self.client.reconnect_delay_set(0.01, 0.01)  # type: ignore[arg-type]  # paho counts with any number
        self.client.on_connect = self._connected
        self.client.on_subscribe = self._subscribed
        self.client.on_message = self._message
        if login:
            self.client.username_pw_set(login["username"], login["password"])
        self.client.connect(broker.host, broker.port)
        self.client.loop_start()
        if not self._ready.wait(PATIENCE_S):
            raise AssertionError("the listener is not let in")

    def _connected(self, client: paho.Client, *_: object) -> None:
        if self._filters:
            client.subscribe(self._filters)
        else:
            self._ready.set()

    def _subscribed(self, *_: object) -> None:
        self._ready.set()

    def _message(self, _client: paho.Client, _userdata: object, message: paho.MQTTMessage) -> None:
        self.heard.append(Heard(message))

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish and wait until the broker has it."""
        self.client.publish(f"{TOPICS.base}/{topic}", payload, qos=1, retain=retain).wait_for_publish(
            PATIENCE_S
        )

    def of(self, topic: str, since: int = 0) -> list[Heard]:
        """What came on a topic, from the n-th message on."""
        return [heard for heard in self.heard[since:] if heard.topic == topic]

    def wait(self, topic: str, so: Callable[[dict[str, Any]], bool], since: int = 0) -> Heard:
        """The first message of a topic, from the n-th on, of which it is so."""
        patience = Patience()
        while True:
            for heard in self.of(topic, since):
                if heard.body and so(heard.body):
                    return heard
            assert not patience.over, f"nothing such on {topic}"
            time.sleep(0.01)

    def on(self, topic: str) -> list[bytes]:
        """The payloads that came on one topic."""
        return [heard.payload for heard in self.of(topic)]

    @property
    def sequences(self) -> list[int]:
        """Of the stream's messages, as they came."""
        return [json.loads(payload)["sequence"] for payload in self.on("events")]

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        leave(self.client)
