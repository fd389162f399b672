"""A floor without a broker: real schedules and real consumers, and between them one queue that gives so many
messages a second. Time is a number."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import NamedTuple

from controller.consumer.asking import Traffic
from controller.consumer.following import Following, Letter
from controller.consumer.store import MessageStore
from controller.outbox.envelope import sent_late, signed
from controller.outbox.outgoing import OutgoingMessage, StreamMessage
from controller.outbox.publisher import STATUS_EVERY_S
from controller.outbox.reports import Arrived
from controller.outbox.retained import Unit, status_of
from controller.outbox.schedule import Schedule
from controller.outbox.session import WINDOW
from controller.outbox.stream import StreamEntry
from controller.outbox.subscription import Subscription
from controller.outbox.topics import Topics, topics_of
from tests.harness.keys import SIGNER
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import write

EPOCH = 5
STEP_S = 0.2
ACK_TIMEOUT_S = 30.0
UNIT = Unit(1, "1.0", "d" * 64, keyid=SIGNER.keyid, public_key=SIGNER.key)


@cache
def said(count: int) -> Sequence[StreamEntry]:
    """What each of the tables says, whatever its name."""
    with scratch_journal(epoch=EPOCH) as journal:
        write(journal, count)
        return journal.messages(0, count)


class Saying:
    """A stream of which so much is said."""

    epoch = EPOCH
    unwritten = False

    def __init__(self, most: int) -> None:
        self._said = said(most)
        self.stream_head = 0
        self._cursors = {"recorder": 0}

    @property
    def stream_hash(self) -> str:
        return self._said[self.stream_head - 1].hash if self.stream_head else "0" * 64

    def messages(self, after: int, limit: int) -> Sequence[StreamEntry]:
        return self._said[after : min(after + limit, self.stream_head)]

    def cursors(self) -> dict[str, int]:
        return dict(self._cursors)

    def set_cursor(self, consumer: str, sequence: int) -> None:
        self._cursors[consumer] = max(self._cursors[consumer], sequence)

    def add_consumer(self, name: str) -> None:
        """They are given."""

    def retire_consumer(self, name: str) -> None:
        """They stay."""

    def flush(self) -> None:
        """Nothing is kept on a disk."""


class Delivery(NamedTuple):
    """One message in the queue."""

    table: int
    topic: str
    payload: bytes
    sequence: int = 0
    """Of the stream's messages."""


class CrowdedTable:
    """Schedule and subscription of one table, as its publisher has them."""

    def __init__(self, number: int, most: int, wall: Callable[[], datetime]) -> None:
        self.number = number
        self.topics: Topics = topics_of("north", str(number))
        self.stream = Saying(most)
        self.schedule = Schedule(
            epoch=EPOCH, cursors=self.stream.cursors(), head=0, ack_timeout_s=ACK_TIMEOUT_S
        )
        self.subscription = Subscription(self.topics, UNIT, self.stream, self.schedule, wall)
        self.schedule.connect(WINDOW)
        self._mid = 0
        self._status_s = -STATUS_EVERY_S

    def go(self, now_s: float) -> list[Delivery]:
        """All that leaves now; the broker has it at once."""
        self.schedule.extend(self.stream.stream_head)
        self.subscription.deferred(now_s)
        if now_s - self._status_s >= STATUS_EVERY_S:
            self._status_s = now_s
            status = status_of(UNIT, "online", EPOCH, self.stream.stream_head)
            self.schedule.retain({self.topics.status: status})
        sent = []
        while (message := self.schedule.next(now_s)) is not None:
            self._mid += 1
            self.schedule.sent(self._mid, message, now_s)
            self.schedule.answered(self._mid, now_s)
            sent.append(self._written(message))
        return sent

    def _written(self, message: OutgoingMessage) -> Delivery:
        if not isinstance(message, StreamMessage):
            return Delivery(self.number, message.topic, message.payload or b"")
        entry = self.stream.messages(message.sequence - 1, 1)[0]
        body = signed(entry.body, SIGNER.seal(bytes.fromhex(entry.hash)))
        topic = self.topics.repeats(message.to) if message.own and message.to else self.topics.events
        return Delivery(self.number, topic, sent_late(body) if message.historical else body, message.sequence)

    def reconnect(self) -> None:
        """The connection ends, and another begins."""
        self.schedule.disconnect()
        self.schedule.connect(WINDOW)


class Crowded:
    """Tables, a queue, and the consumer of all of them."""

    def __init__(
        self,
        *,
        tables: int,
        a_second: float,
        capacity: float,
        seconds: float,
        loss: float = 0.0,
        most: int = 1_000_000,
        seed: int = 1,
    ) -> None:
        """``a_second``: messages of each table; ``capacity``: of the queue, in a second; ``loss``: the share
        that the broker drops; ``most``: what it keeps, it drops what is more."""
        self.now_s = 1000.0
        said_at_most = int(seconds * a_second) + 1
        self.tables = [CrowdedTable(number, said_at_most, self.wall) for number in range(tables)]
        self.stores = [MessageStore(Path(":memory:")) for _ in self.tables]
        self.hearing: list[Following] = []
        self.queue: deque[Delivery] = deque()
        self.useful = self.useless = 0
        """Deliveries of messages, and those that brought what was there already or could not be taken."""
        self._a_second, self._capacity, self._loss, self._most = a_second, capacity, loss, most
        self._chance = random.Random(seed)
        self._due = self._room = 0.0
        for store in self.stores:
            store.begin(EPOCH, 0)
            store.pin(SIGNER.key)

    def close(self) -> None:
        """Let go of what is there."""
        for store in self.stores:
            store.close()

    def wall(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC) + timedelta(seconds=self.now_s)

    @property
    def missing(self) -> int:
        """Messages that were said and are not there."""
        return sum(table.stream.stream_head for table in self.tables) - sum(self.here())

    def here(self) -> list[int]:
        """Up to where each table's stream is there."""
        return [0 if store.cursor is None else store.cursor.sequence for store in self.stores]

    def come(self) -> None:
        """The consumer is there, with what it kept; what waited for it at the broker before is gone."""
        traffic = Traffic()
        self.hearing = [
            Following(
                name="recorder",
                topics=table.topics,
                store=store,
                see=lambda _: None,
                key=SIGNER.key,
                wall=self.wall,
                traffic=traffic,
            )
            for table, store in zip(self.tables, self.stores, strict=True)
        ]
        for table, following in zip(self.tables, self.hearing, strict=True):
            following.connected(self.now_s)
            following.subscribed(self.now_s)
            status = table.schedule.retained.get(table.topics.status)
            if status:
                following.hear(Arrived(table.topics.status, status, retained=True), self.now_s)

    def die(self) -> None:
        """The consumer is killed."""
        self.hearing = []
        self.queue.clear()

    def run(self, seconds: float, *, speaks: bool = True, reads: bool = True) -> None:
        """So long; ``speaks``: the tables say more; ``reads``: the consumer reads, or waits for its disk."""
        ends_s = self.now_s + seconds
        while self.now_s < ends_s:
            self.now_s += STEP_S
            self.step(speaks=speaks, reads=reads)

    def step(self, *, speaks: bool, reads: bool) -> None:
        self._due += STEP_S * self._a_second * speaks
        for table in self.tables:
            table.stream.stream_head += int(self._due)
        self._due -= int(self._due)
        for table in self.tables:
            sent = table.go(self.now_s)
            if self.hearing:
                kept = [one for one in sent if self._chance.random() >= self._loss]
                self.queue += kept[: max(self._most - len(self.queue), 0)]
        if self.hearing and reads:
            self._hear()

    def _hear(self) -> None:
        self._room = min(self._room + self._capacity * STEP_S, max(self._capacity, 1.0))
        bodies: dict[int, list[bytes]] = {}
        before = self.here()
        came = 0
        while self.queue and self._room >= 1:
            one = self.queue.popleft()
            self._room -= 1
            if one.sequence:
                bodies.setdefault(one.table, []).append(one.payload)
                came += 1
            else:
                self.hearing[one.table].hear(Arrived(one.topic, one.payload, retained=False), self.now_s)
        for number, payloads in bodies.items():
            self.hearing[number].receive(payloads, self.now_s)
        taken = sum(self.here()) - sum(before)
        self.useful += taken
        self.useless += came - taken
        for table, following in zip(self.tables, self.hearing, strict=True):
            for letter in (following.acknowledgement(), following.question(self.now_s)):
                self._say(table, letter)

    def _say(self, table: CrowdedTable, letter: Letter | None) -> None:
        """To the table; no queue there."""
        if letter is not None and self._chance.random() >= self._loss:
            table.subscription.handle(Arrived(letter.topic, letter.payload, retained=False), self.now_s)
