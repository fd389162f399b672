"""The schedule: which message goes next, and when it goes again. Without clock, socket or disk.

Times are monotonic seconds that the caller passes in. The order of sending is the order of the stream; it
goes back only to repeat: to the lowest cursor after each connection, to a consumer's cursor when nothing
moved for ``ack_timeout_s``, to where somebody asked. A consumer that is far behind and silent is asked with
one message at a time until it answers, so that a dead one does not flood the others.

Retained state is the newest of each topic only. It goes after the stream message that it belongs to; while a
backlog is being sent it goes at once, and what it overtakes is marked historical.

Not responsible for: the content of a message, reading it, and the connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum

import msgspec

BROKER = "broker"
"""The cursor that the broker's acknowledgement moves where no consumer is named."""

HELLO_S = 1.0
"""A consumer that repeats its acknowledgement so long after its next message left has not got that one."""

GO_BACK = 256
"""So many unacknowledged messages are repeated at once to a silent consumer; beyond that one at a time."""


class StreamMessage(msgspec.Struct, frozen=True):
    """Send the stream's message with this sequence."""

    sequence: int
    historical: bool


class RetainedMessage(msgspec.Struct, frozen=True):
    """Send this retained state; None deletes it."""

    topic: str
    payload: bytes | None


class ReplyMessage(msgspec.Struct, frozen=True):
    """Send this once, not retained."""

    topic: str
    payload: bytes


OutgoingMessage = StreamMessage | RetainedMessage | ReplyMessage


class AckVerdict(Enum):
    """What becomes of a consumer's acknowledgement."""

    MOVES = "moves"
    REPEATED = "repeated"
    UNKNOWN_CONSUMER = "unknown_consumer"
    OTHER_EPOCH = "other_epoch"
    BEYOND_HEAD = "beyond_head"
    BACKWARDS = "backwards"


class _Consumer:
    """A consumer's cursor, since when we wait for it to move, and whether it is asked one by one."""

    __slots__ = ("asked", "cursor", "since_s")

    def __init__(self, cursor: int) -> None:
        self.cursor = cursor
        self.since_s: float | None = None
        self.asked = False


class InFlight(msgspec.Struct, frozen=True):
    """A message that the broker has not answered for yet."""

    message: OutgoingMessage
    sent_s: float


class _Pending(msgspec.Struct):
    """Retained state that must go out: not before the stream is at ``after``, nor before ``not_before_s``."""

    after: int
    not_before_s: float


class Schedule:
    """What goes out of one table's outbox, next message by next message."""

    def __init__(self, *, epoch: int, cursors: Mapping[str, int], head: int, ack_timeout_s: float) -> None:
        self.epoch = epoch
        self.head = head
        self.connected = False
        self.position = min(cursors.values(), default=head)
        """The last message sent in order."""
        self.moves = 0
        """So often a cursor has moved."""
        self._consumers = {name: _Consumer(cursor) for name, cursor in cursors.items()}
        self._ack_timeout_s = ack_timeout_s
        self._window = 1
        self._late_until = 0
        self._stream_not_before_s = 0.0
        self._in_flight: dict[int, InFlight] = {}
        """By the number of the message, the oldest first."""
        self._newly_answered = False
        """Whether the broker has answered for a message of the stream since ``release`` looked last."""
        self._again: deque[int] = deque()
        self._replies: deque[ReplyMessage] = deque()
        self.retained: dict[str, bytes | None] = {}
        """The state that the topics shall hold."""
        self._pending: dict[str, _Pending] = {}

    # What happens

    def connect(self, window: int) -> None:
        """The broker let us in and takes ``window`` messages at a time: state first, then from the lowest
        cursor."""
        self.release()
        self.connected = True
        self._window = max(window, 1)
        self._in_flight.clear()
        self._again.clear()
        self._stream_not_before_s = 0.0
        self._pending = {topic: _Pending(0, 0.0) for topic in self.retained}
        self.position = min((consumer.cursor for consumer in self._consumers.values()), default=self.head)
        self._late_until = self.head
        for consumer in self._consumers.values():
            consumer.since_s, consumer.asked = None, False

    def disconnect(self) -> None:
        """The connection is gone, and with it what was in flight: the broker may not have it."""
        self.release()
        self.connected = False
        self._in_flight.clear()
        self._again.clear()
        self._replies.clear()

    def extend(self, head: int) -> None:
        """The stream is durable up to ``head``. What must wait behind a backlog is late as well."""
        if head > self.head and self.position < self._late_until:
            self._late_until = head
        self.head = max(self.head, head)

    def retain(self, state: Mapping[str, bytes | None]) -> None:
        """These topics shall hold these payloads (None: be deleted) as from the stream's head; others
        stay."""
        for topic, payload in state.items():
            if topic in self.retained and self.retained[topic] == payload:
                continue
            self.retained[topic] = payload
            self._pending.pop(topic, None)
            self._pending[topic] = _Pending(self.head, 0.0)

    def retain_again(self, topic: str) -> None:
        """Somebody else wrote to this topic: put our state back, or delete what is there where we have
        none."""
        self.retained.setdefault(topic, None)
        self._pending.setdefault(topic, _Pending(0, 0.0))

    def reply(self, topic: str, payload: bytes) -> None:
        """Answer somebody, as soon as there is room; lost with the connection."""
        if self.connected:
            self._replies.append(ReplyMessage(topic, payload))

    def go_back(self, sequence: int) -> None:
        """Send again from ``sequence`` on, in order; what was sent before is historical."""
        if sequence <= self.position:
            self._late_until = max(self._late_until, self.position)
            self.position = max(sequence, 1) - 1

    def judge(self, name: str, epoch: int, sequence: int) -> AckVerdict:
        """What a consumer's acknowledgement is worth; changes nothing."""
        consumer = self._consumers.get(name)
        if consumer is None or name == BROKER:
            return AckVerdict.UNKNOWN_CONSUMER
        if epoch != self.epoch:
            return AckVerdict.OTHER_EPOCH
        if sequence > self.head:
            return AckVerdict.BEYOND_HEAD
        if sequence < consumer.cursor:
            return AckVerdict.BACKWARDS
        return AckVerdict.REPEATED if sequence == consumer.cursor else AckVerdict.MOVES

    def advance(self, name: str, sequence: int, now_s: float) -> None:
        """A consumer has everything up to ``sequence``, as ``judge`` found good."""
        consumer = self._consumers[name]
        consumer.cursor = sequence
        self.moves += 1
        consumer.since_s = now_s if sequence < self.position else None
        if consumer.asked:
            consumer.asked = False
            self.go_back(sequence + 1)

    def hello(self, name: str, now_s: float) -> None:
        """A consumer acknowledges again what it had, as ``judge`` found: what went out before it listened
        goes again at once."""
        consumer = self._consumers[name]
        if consumer.since_s is not None and now_s - consumer.since_s >= HELLO_S:
            self._repeat(consumer, now_s)

    # What goes out

    def next(self, now_s: float) -> OutgoingMessage | None:
        """The next thing to send, None when there is nothing now. Changes nothing that a second call would
        miss."""
        if not self.connected or len(self._in_flight) >= self._window:
            return None
        if self._replies:
            return self._replies[0]
        for topic, pending in self._pending.items():
            if pending.not_before_s <= now_s and (self.position >= pending.after or self._behind()):
                return RetainedMessage(topic, self.retained[topic])
        if now_s < self._stream_not_before_s:
            return None
        self._repeat_overdue(now_s)
        if self._again:
            return StreamMessage(self._again[0], True)
        if self.position < self.head:
            return StreamMessage(self.position + 1, self._behind())
        return None

    def sent(self, mid: int, message: OutgoingMessage, now_s: float) -> None:
        """``message`` went out under the message number ``mid``."""
        self._in_flight[mid] = InFlight(message, now_s)
        if isinstance(message, ReplyMessage):
            self._replies.popleft()
        elif isinstance(message, RetainedMessage):
            del self._pending[message.topic]
        else:
            if self._again and message.sequence == self._again[0]:
                self._again.popleft()
            else:
                self.position = message.sequence
            for consumer in self._consumers.values():
                if consumer.cursor == message.sequence - 1:
                    consumer.since_s = now_s

    def answered(self, mid: int, now_s: float, *, denied: bool = False) -> InFlight | None:
        """The broker answered for ``mid``; what is denied is tried again after ``ack_timeout_s``. What was in
        flight under that number, if anything."""
        flight = self._in_flight.pop(mid, None)
        if flight is None:
            return None
        message = flight.message
        again_s = now_s + self._ack_timeout_s
        if isinstance(message, RetainedMessage):
            if denied:
                self._pending.setdefault(message.topic, _Pending(0, again_s))
            elif message.payload is None and message.topic not in self._pending:
                self.retained.pop(message.topic, None)
        elif isinstance(message, StreamMessage):
            if denied:
                self._stream_not_before_s = again_s
                self.go_back(message.sequence)
            self._newly_answered = True
        return flight

    def release(self) -> int | None:
        """Where no consumer is named: up to where the broker has answered for everything."""
        consumer = self._consumers.get(BROKER)
        if consumer is not None and self._newly_answered:
            in_flight = [
                flight.message.sequence
                for flight in self._in_flight.values()
                if isinstance(flight.message, StreamMessage)
            ]
            released = min(in_flight) - 1 if in_flight else self.position
            before, consumer.cursor = consumer.cursor, max(consumer.cursor, min(released, self.position))
            self.moves += consumer.cursor != before
        self._newly_answered = False
        return None if consumer is None else consumer.cursor

    def stalled(self, now_s: float) -> bool:
        """Whether the broker has left something unanswered for ``ack_timeout_s``: the connection is worth
        nothing."""
        oldest = next(iter(self._in_flight.values()), None)
        return oldest is not None and now_s - oldest.sent_s >= self._ack_timeout_s

    def due_s(self, now_s: float) -> float | None:
        """When, after now, ``next`` or ``stalled`` may say something new though nothing happens; None:
        never."""
        if not self.connected:
            return None
        answers = (flight.sent_s + self._ack_timeout_s for flight in self._in_flight.values())
        times = [next((time_s for time_s in answers if time_s > now_s), now_s)]
        times += [pending.not_before_s for pending in self._pending.values()]
        times += [
            consumer.since_s + self._ack_timeout_s
            for name, consumer in self._consumers.items()
            if consumer.since_s is not None and name != BROKER
        ]
        times.append(self._stream_not_before_s)
        return min((time_s for time_s in times if time_s > now_s), default=None)

    @property
    def cursors(self) -> dict[str, int]:
        """Consumer -> cursor."""
        self.release()
        return {name: consumer.cursor for name, consumer in self._consumers.items()}

    def _behind(self) -> bool:
        return self.position < self._late_until

    def _repeat_overdue(self, now_s: float) -> None:
        for name, consumer in self._consumers.items():
            if name == BROKER or consumer.since_s is None or now_s - consumer.since_s < self._ack_timeout_s:
                continue
            self._repeat(consumer, now_s)

    def _repeat(self, consumer: _Consumer, now_s: float) -> None:
        consumer.since_s = now_s
        if self.position - consumer.cursor <= GO_BACK:
            self.go_back(consumer.cursor + 1)
        elif consumer.cursor + 1 not in self._again:
            consumer.asked = True
            self._again.append(consumer.cursor + 1)
