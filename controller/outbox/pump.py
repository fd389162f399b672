"""Which message goes next, and when it goes again: a machine without clock, socket or disk.

Times are monotonic seconds that the caller passes in. The order of sending is the order of the stream; it
goes back only to repeat: to the lowest cursor after each connection, to a consumer's cursor when nothing
moved for ``ack_timeout_s``, to where somebody asked. A consumer that is far behind and silent is asked with
one message at a time until it answers, so that a dead one does not flood the others.

Retained state is the newest of each topic only. It goes after the stream message that it belongs to; while a
backlog is being sent it goes at once, and what it overtakes is marked historical.

Not responsible for: what a message says, reading it, and the connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from enum import Enum

import msgspec

BROKER = "broker"
"""The cursor that the broker's acknowledgement moves where no consumer is named."""

HELLO_S = 1.0
"""A consumer that says where it stands, so long after its next message went out, has not got that message."""

GO_BACK = 256
"""So many unacknowledged messages are repeated at once to a silent consumer; beyond that one at a time."""


class Row(msgspec.Struct, frozen=True):
    """Send the stream's message with this sequence."""

    sequence: int
    historical: bool


class Retain(msgspec.Struct, frozen=True):
    """Send this retained state; None deletes it."""

    topic: str
    payload: bytes | None


class Reply(msgspec.Struct, frozen=True):
    """Send this once, not retained."""

    topic: str
    payload: bytes


Step = Row | Retain | Reply


class Verdict(Enum):
    """What becomes of a consumer's acknowledgement."""

    MOVES = "moves"
    REPEATED = "repeated"
    UNKNOWN_CONSUMER = "unknown_consumer"
    OTHER_EPOCH = "other_epoch"
    BEYOND_HEAD = "beyond_head"
    BACKWARDS = "backwards"


class _Standing:
    """Where a consumer stands: its cursor, since when we wait for it to move, whether it is asked one by
    one."""

    __slots__ = ("asked", "cursor", "since_s")

    def __init__(self, cursor: int) -> None:
        self.cursor = cursor
        self.since_s: float | None = None
        self.asked = False


class _Waiting(msgspec.Struct):
    """Retained state that must go out: not before the stream is at ``after``, nor before ``not_before_s``."""

    after: int
    not_before_s: float


class Pump:
    """What goes out of one table's outbox, next step by next step."""

    def __init__(self, *, epoch: int, cursors: Mapping[str, int], head: int, ack_timeout_s: float) -> None:
        self.epoch = epoch
        self.head = head
        self.connected = False
        self.position = min(cursors.values(), default=head)
        """The last message sent in order."""
        self.moves = 0
        """So often a cursor has moved."""
        self._standings = {name: _Standing(cursor) for name, cursor in cursors.items()}
        self._ack_timeout_s = ack_timeout_s
        self._window = 1
        self._late_until = 0
        self._rows_not_before_s = 0.0
        self._flying: dict[int, tuple[Step, float]] = {}
        """Number of the message -> what is on its way, and since when; the oldest first."""
        self._landed = False
        """Whether a row has landed since ``release`` looked last."""
        self._again: deque[int] = deque()
        self._replies: deque[Reply] = deque()
        self._retained: dict[str, bytes | None] = {}
        self._waiting: dict[str, _Waiting] = {}

    # What happens

    def connect(self, window: int) -> None:
        """The broker let us in and takes ``window`` messages at a time: state first, then from the lowest
        cursor."""
        self.release()
        self.connected = True
        self._window = max(window, 1)
        self._flying.clear()
        self._again.clear()
        self._rows_not_before_s = 0.0
        self._waiting = {topic: _Waiting(0, 0.0) for topic in self._retained}
        self.position = min((standing.cursor for standing in self._standings.values()), default=self.head)
        self._late_until = self.head
        for standing in self._standings.values():
            standing.since_s, standing.asked = None, False

    def disconnect(self) -> None:
        """The connection is gone, and with it what was on its way: that has not landed."""
        self.release()
        self.connected = False
        self._flying.clear()
        self._again.clear()
        self._replies.clear()

    def grow(self, head: int) -> None:
        """The stream is durable up to ``head``. What must wait behind a backlog is late as well."""
        if head > self.head and self.position < self._late_until:
            self._late_until = head
        self.head = max(self.head, head)

    def retain(self, state: Mapping[str, bytes | None]) -> None:
        """These topics shall hold these payloads (None: be deleted) as from the stream's head; others
        stay."""
        for topic, payload in state.items():
            if topic in self._retained and self._retained[topic] == payload:
                continue
            self._retained[topic] = payload
            self._waiting.pop(topic, None)
            self._waiting[topic] = _Waiting(self.head, 0.0)

    def retain_again(self, topic: str) -> None:
        """Somebody else wrote to this topic: put our state back, or delete what is there where we have
        none."""
        self._retained.setdefault(topic, None)
        self._waiting.setdefault(topic, _Waiting(0, 0.0))

    def reply(self, topic: str, payload: bytes) -> None:
        """Answer somebody, as soon as there is room; lost with the connection."""
        if self.connected:
            self._replies.append(Reply(topic, payload))

    def go_back(self, sequence: int) -> None:
        """Send again from ``sequence`` on, in order; what was sent before is historical."""
        if sequence <= self.position:
            self._late_until = max(self._late_until, self.position)
            self.position = max(sequence, 1) - 1

    def judge(self, consumer: str, epoch: int, sequence: int) -> Verdict:
        """What an acknowledgement is worth; changes nothing."""
        standing = self._standings.get(consumer)
        if standing is None or consumer == BROKER:
            return Verdict.UNKNOWN_CONSUMER
        if epoch != self.epoch:
            return Verdict.OTHER_EPOCH
        if sequence > self.head:
            return Verdict.BEYOND_HEAD
        if sequence < standing.cursor:
            return Verdict.BACKWARDS
        return Verdict.REPEATED if sequence == standing.cursor else Verdict.MOVES

    def advance(self, consumer: str, sequence: int, now_s: float) -> None:
        """A consumer has everything up to ``sequence``, as ``judge`` found good."""
        standing = self._standings[consumer]
        standing.cursor = sequence
        self.moves += 1
        standing.since_s = now_s if sequence < self.position else None
        if standing.asked:
            standing.asked = False
            self.go_back(sequence + 1)

    def hello(self, consumer: str, now_s: float) -> None:
        """A consumer says again where it stands, as ``judge`` found: what went out before it listened goes
        again at once."""
        standing = self._standings[consumer]
        if standing.since_s is not None and now_s - standing.since_s >= HELLO_S:
            self._repeat(standing, now_s)

    # What goes out

    def next(self, now_s: float) -> Step | None:
        """The next thing to send, None when there is nothing now. Changes nothing that a second call would
        miss."""
        if not self.connected or len(self._flying) >= self._window:
            return None
        if self._replies:
            return self._replies[0]
        for topic, waiting in self._waiting.items():
            if waiting.not_before_s <= now_s and (self.position >= waiting.after or self._behind()):
                return Retain(topic, self._retained[topic])
        if now_s < self._rows_not_before_s:
            return None
        self._repeat_overdue(now_s)
        if self._again:
            return Row(self._again[0], True)
        if self.position < self.head:
            return Row(self.position + 1, self._behind())
        return None

    def launch(self, mid: int, step: Step, now_s: float) -> None:
        """``step`` went out under the message number ``mid``."""
        self._flying[mid] = (step, now_s)
        if isinstance(step, Reply):
            self._replies.popleft()
        elif isinstance(step, Retain):
            del self._waiting[step.topic]
        else:
            if self._again and step.sequence == self._again[0]:
                self._again.popleft()
            else:
                self.position = step.sequence
            for standing in self._standings.values():
                if standing.cursor == step.sequence - 1:
                    standing.since_s = now_s

    def land(self, mid: int, now_s: float, *, denied: bool = False) -> Step | None:
        """The broker answered for ``mid``; what is denied is tried again after ``ack_timeout_s``. The step,
        if any."""
        flight = self._flying.pop(mid, None)
        if flight is None:
            return None
        step, _ = flight
        again_s = now_s + self._ack_timeout_s
        if isinstance(step, Retain):
            if denied:
                self._waiting.setdefault(step.topic, _Waiting(0, again_s))
            elif step.payload is None and step.topic not in self._waiting:
                self._retained.pop(step.topic, None)
        elif isinstance(step, Row):
            if denied:
                self._rows_not_before_s = again_s
                self.go_back(step.sequence)
            self._landed = True
        return step

    def release(self) -> int | None:
        """How far the broker's own word reaches, where it counts."""
        standing = self._standings.get(BROKER)
        if standing is not None and self._landed:
            flying = [step.sequence for step, _ in self._flying.values() if isinstance(step, Row)]
            released = min(flying) - 1 if flying else self.position
            before, standing.cursor = standing.cursor, max(standing.cursor, min(released, self.position))
            self.moves += standing.cursor != before
        self._landed = False
        return None if standing is None else standing.cursor

    def stalled(self, now_s: float) -> bool:
        """Whether the broker has left something unanswered for ``ack_timeout_s``: the connection is worth
        nothing."""
        oldest = next(iter(self._flying.values()), None)
        return oldest is not None and now_s - oldest[1] >= self._ack_timeout_s

    def due_s(self, now_s: float) -> float | None:
        """When, after now, ``next`` or ``stalled`` may say something new though nothing happens; None:
        never."""
        if not self.connected:
            return None
        landing = (sent_s + self._ack_timeout_s for _, sent_s in self._flying.values())
        times = [next((time_s for time_s in landing if time_s > now_s), now_s)]
        times += [waiting.not_before_s for waiting in self._waiting.values()]
        times += [
            standing.since_s + self._ack_timeout_s
            for name, standing in self._standings.items()
            if standing.since_s is not None and name != BROKER
        ]
        times.append(self._rows_not_before_s)
        return min((time_s for time_s in times if time_s > now_s), default=None)

    @property
    def cursors(self) -> dict[str, int]:
        """Consumer -> cursor."""
        self.release()
        return {name: standing.cursor for name, standing in self._standings.items()}

    @property
    def retained(self) -> Mapping[str, bytes | None]:
        """The state that the topics shall hold."""
        return self._retained

    def _behind(self) -> bool:
        return self.position < self._late_until

    def _repeat_overdue(self, now_s: float) -> None:
        for name, standing in self._standings.items():
            if name == BROKER or standing.since_s is None or now_s - standing.since_s < self._ack_timeout_s:
                continue
            self._repeat(standing, now_s)

    def _repeat(self, standing: _Standing, now_s: float) -> None:
        standing.since_s = now_s
        if self.position - standing.cursor <= GO_BACK:
            self.go_back(standing.cursor + 1)
        elif standing.cursor + 1 not in self._again:
            standing.asked = True
            self._again.append(standing.cursor + 1)
