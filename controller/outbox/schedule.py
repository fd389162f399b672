"""The schedule: which message goes next, and when it goes again. Without clock, socket or disk.

Times are monotonic seconds that the caller passes in. The order of sending is the order of the stream. What
goes out again goes to who lacks it: to a consumer that listens on a topic of its own there and nowhere else,
to any other on the stream, while it is there. One that is silent is asked with one message, less and less
often where others hear it; the rest follows when it answers. What is late waits for what is acknowledged: no
consumer that is there is left more than ``PACE`` messages behind, and where nobody is there as many leave in
a second.

Retained state is the newest of each topic only. It goes after the stream message that it belongs to; while a
backlog is being sent it goes at once, and what it overtakes is marked historical.

Not responsible for: the content of a message, reading it, and the connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from controller.outbox.follower import AckVerdict, Follower
from controller.outbox.followers import Followers
from controller.outbox.grant import Grant
from controller.outbox.outgoing import (
    InFlight,
    OutgoingMessage,
    ReplyMessage,
    RetainedMessage,
    StreamMessage,
)
from controller.outbox.state import RetainedState

BROKER = "broker"
"""The cursor that the broker's acknowledgement moves where no consumer is named."""

GO_BACK = 256
"""So many unacknowledged messages are repeated to a silent consumer where nobody else is; beyond that one."""


class Schedule:
    """What goes out of one table's outbox, next message by next message."""

    def __init__(
        self,
        *,
        epoch: int,
        cursors: Mapping[str, int],
        head: int,
        ack_timeout_s: float,
        begin: int | None = None,
    ) -> None:
        """``begin``: the stream goes on behind this message; left out: behind the last that anybody has."""
        self.epoch = epoch
        self.head = head
        self.connected = False
        self.position = max(cursors.values(), default=head) if begin is None else min(begin, head)
        """The last message sent in order."""
        self._high = self.position
        """The last that the broker was given, in this life."""
        self._first: dict[int, int] = {}
        """Number -> sequence of what is on its way for the first time."""
        self._consumers = Followers(
            {name: Follower(cursor, present=name == BROKER) for name, cursor in cursors.items()},
            ack_timeout_s,
        )
        self._ack_timeout_s = ack_timeout_s
        self._window = 1
        self._late_until = 0
        self._stream_not_before_s = 0.0
        self._in_flight: dict[int, InFlight] = {}
        """By the number of the message, the oldest first."""
        self._newly_answered = False
        """Whether the broker has answered for a message of the stream since ``release`` looked last."""
        self._again: deque[StreamMessage] = deque()
        """Questions to silent consumers."""
        self._replies: deque[ReplyMessage] = deque()
        self._state = RetainedState()

    # What happens

    def connect(self, window: int) -> None:
        """The broker let us in and takes ``window`` messages at a time: state first, then what it was not
        given yet, and what consumers that are there lack of what it was given."""
        self._break_off()
        self.connected = True
        self._window = max(window, 1)
        self._stream_not_before_s = 0.0
        self._state.connect()
        self.position = self._high
        self._late_until = self.head
        there = self._consumers.there
        if not there:  # what nobody has acknowledged may have got lost, and bothers nobody
            known = max((consumer.cursor for consumer in self._consumers.values()), default=self.head)
            self.position = min(self.position, known)
        for consumer in there:
            self._serve(consumer)

    def disconnect(self) -> None:
        """The connection is gone, and with it what was in flight: the broker may not have it."""
        self._break_off()
        self.connected = False
        self._replies.clear()

    def _break_off(self) -> None:
        self.release()
        for flight in self._in_flight.values():
            if isinstance(flight.message, StreamMessage):
                self._consumers.lost(flight.message)
        self._high = min([self._high, *(sequence - 1 for sequence in self._first.values())])
        self._first.clear()
        self._in_flight.clear()
        self._again.clear()
        for consumer in self._consumers.values():
            consumer.disconnected()

    def extend(self, head: int) -> None:
        """The stream is durable up to ``head``. What must wait behind a backlog is late as well."""
        if head > self.head and self._behind():
            self._late_until = head
        self.head = max(self.head, head)

    def retain(self, state: Mapping[str, bytes | None]) -> None:
        """These topics shall hold these payloads (None: be deleted) as from the stream's head; others
        stay."""
        self._state.retain(state, self.head)

    def retain_again(self, topic: str) -> None:
        """Somebody else wrote to this topic: put our state back, or delete what is there where we have
        none."""
        self._state.retain_again(topic)

    def reply(self, topic: str, payload: bytes) -> None:
        """Answer somebody, as soon as there is room; lost with the connection."""
        if self.connected:
            self._replies.append(ReplyMessage(topic, payload))

    def go_back(self, sequence: int) -> None:
        """Send again from ``sequence`` on, in order; what was sent before is historical."""
        if sequence <= self.position:
            self._late_until = max(self._late_until, self.position)
            self.position = max(sequence, 1) - 1

    def resend(self, name: str | None, sequence: int, last: int | None) -> None:
        """Somebody asks for the stream again, up to ``last`` or today's head: for the consumer of that name
        alone, or for all. It is told to its end, also over a lost connection. One request replaces the one
        before it for the same; ``last`` below ``sequence`` ends it."""
        ends = self.head if last is None else min(last, self.head)
        grant = Grant(sequence, ends) if ends >= sequence else None
        if name is None:
            self._consumers.grant = grant
        else:
            consumer = self._consumers[name]
            consumer.grant = grant
            if grant is not None and grant.covers(consumer.cursor, self.position):
                consumer.served = None

    def listens(self, name: str, *, own: bool) -> None:
        """Whether a consumer hears what goes out again on a topic of its own."""
        consumer = self._consumers[name]
        own = own and not consumer.denied
        if consumer.own and not own:
            consumer.served = None
        consumer.own = own

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

    def advance(self, name: str, sequence: int, now_s: float, *, retained: bool = False) -> None:
        """A consumer has everything up to ``sequence``, as ``judge`` found good; ``retained``: it said so
        once."""
        consumer = self._consumers[name]
        consumer.moved(sequence, self.position, now_s)
        if not retained:
            self._heard(consumer, now_s)

    def fell_back(self, name: str, sequence: int) -> None:
        """A consumer that was put back from an old copy says that it has no more than this: no cursor moves,
        and what it asked for again goes as fast as it says so."""
        if (grant := self._consumers[name].grant) is not None:
            grant.heard(sequence)

    def hello(self, name: str, now_s: float, *, retained: bool = False) -> None:
        """A consumer acknowledges again what it had, as ``judge`` found: what went out before it listened
        goes again, as soon as it cannot be on its way. What it left at the broker does not say that it is
        there."""
        consumer = self._consumers[name]
        if not retained:
            consumer.speaks()
            self._heard(consumer, now_s)
        if consumer.cursor >= self.position or (retained and not consumer.own):
            return
        if consumer.says_again(now_s):
            self._say_again(consumer, now_s)

    def _say_again(self, consumer: Follower, now_s: float) -> None:
        consumer.answers.again()
        consumer.again_s = None
        consumer.since_s = consumer.sent_s = now_s
        self._serve(consumer)

    def _heard(self, consumer: Follower, now_s: float) -> None:
        if consumer.heard(now_s, self._ack_timeout_s):
            self._serve(consumer)

    def _serve(self, consumer: Follower) -> None:
        """Where it lacks little and has no topic of its own the whole stream goes back: nothing overtakes."""
        if consumer.grant is not None and consumer.grant.covers(consumer.cursor, self.position):
            consumer.grant.again(consumer.cursor)
            return
        if consumer.own or self._high - consumer.cursor > GO_BACK:
            consumer.served = consumer.cursor
        else:
            self.go_back(consumer.cursor + 1)

    # What goes out

    def next(self, now_s: float) -> OutgoingMessage | None:
        """The next thing to send, None when there is nothing now. Changes nothing that a second call would
        miss."""
        if not self.connected or len(self._in_flight) >= self._window:
            return None
        if self._replies:
            return self._replies[0]
        if (retained := self._state.next(now_s, self.position, at_once=self._behind())) is not None:
            return retained
        if now_s < self._stream_not_before_s:
            return None
        self._repeat_overdue(now_s)
        if self._again:
            return self._again[0]
        if self._behind():
            alone = self._consumers.alone(self.position, now_s)
            return alone or (None if self._must_wait(now_s) else self._in_order())
        return self._in_order() or self._consumers.alone(self.position, now_s)

    def _in_order(self) -> StreamMessage | None:
        if (grant := self._consumers.again_for_all(self.position)) is not None:
            return StreamMessage(grant.told + 1, historical=True)
        return StreamMessage(self.position + 1, self._behind()) if self.position < self.head else None

    def _must_wait(self, now_s: float) -> bool:
        """Whether what is late waits for somebody's acknowledgement, or for its time."""
        at = self.position if (grant := self._consumers.again_for_all(self.position)) is None else grant.told
        return BROKER not in self._consumers and self._consumers.must_wait(at, self.position, now_s)

    def sent(self, mid: int, message: OutgoingMessage, now_s: float) -> None:
        """``message`` went out under the message number ``mid``."""
        turn = (None, self.position + 1)  # else it is told again beside the stream
        in_order = isinstance(message, StreamMessage) and (message.to, message.sequence) == turn
        self._in_flight[mid] = InFlight(message, now_s, in_order)
        if isinstance(message, ReplyMessage):
            self._replies.popleft()
        elif isinstance(message, RetainedMessage):
            self._state.sent(message)
        else:
            self._sent_of_stream(mid, message, now_s, in_order=in_order)

    def _sent_of_stream(self, mid: int, message: StreamMessage, now_s: float, *, in_order: bool) -> None:
        if message.historical:
            self._consumers.pace.count(now_s)
        if self._again and message == self._again[0]:
            self._again.popleft()
        if in_order:
            self.position = message.sequence
            if message.sequence > self._high:
                self._high = self._first[mid] = message.sequence
        self._consumers.sent(message, now_s)

    def gives_up(self, message: OutgoingMessage) -> bool:
        """The journal does not hold this message any more: see ``Followers.gives_up``."""
        return isinstance(message, StreamMessage) and self._consumers.gives_up(message.sequence)

    def flight(self, mid: int) -> InFlight | None:
        """What the broker has not answered for yet under that number."""
        return self._in_flight.get(mid)

    def answered(self, mid: int, now_s: float, *, denied: bool = False) -> InFlight | None:
        """The broker answered for ``mid``; what is denied is tried again after ``ack_timeout_s``. What was in
        flight under that number, if anything."""
        flight = self._in_flight.pop(mid, None)
        first = self._first.pop(mid, None)
        if flight is None:
            return None
        message = flight.message
        again_s = now_s + self._ack_timeout_s
        if isinstance(message, RetainedMessage):
            self._state.answered(message, again_s if denied else None)
        elif isinstance(message, StreamMessage):
            if denied:
                self._denied(flight, message, again_s)
                if first is not None:
                    self._high = min(self._high, first - 1)
            else:
                self._consumers.arrived(message)
            self._newly_answered |= flight.in_order
        return flight

    def _denied(self, flight: InFlight, message: StreamMessage, again_s: float) -> None:
        """The broker takes nothing there now: a consumer's own topic gives way to the stream's, which is
        tried again."""
        self._consumers.lost(message)
        if message.own and message.to is not None:
            self._consumers[message.to].denied = True
            self.listens(message.to, own=False)
            return
        self._stream_not_before_s = again_s
        if flight.in_order:
            self.go_back(message.sequence)

    def release(self) -> int | None:
        """Where no consumer is named: up to where the broker has answered for everything."""
        consumer = self._consumers.get(BROKER)
        if consumer is not None and self._newly_answered:
            in_flight = [
                flight.message.sequence
                for flight in self._in_flight.values()
                if isinstance(flight.message, StreamMessage) and flight.in_order
            ]
            released = min(in_flight) - 1 if in_flight else self.position
            consumer.cursor = max(consumer.cursor, min(released, self.position))
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
        times += self._state.due_s()
        times += [
            consumer.since_s + self._patience_s(consumer)
            for name, consumer in self._consumers.items()
            if consumer.since_s is not None and name != BROKER
        ]
        times += self._consumers.due_s(self.position)
        times.append(self._stream_not_before_s)
        return min((time_s for time_s in times if time_s > now_s), default=None)

    @property
    def retained(self) -> Mapping[str, bytes | None]:
        """The state that the topics shall hold."""
        return self._state.held

    @property
    def cursors(self) -> dict[str, int]:
        """Consumer -> cursor."""
        self.release()
        return {name: consumer.cursor for name, consumer in self._consumers.items()}

    def _behind(self) -> bool:
        return self.position < self._late_until or self._consumers.again_for_all(self.position) is not None

    def _patience_s(self, consumer: Follower) -> float:
        others = any(other is not consumer for other in self._consumers.there)
        return consumer.patience_s(self._ack_timeout_s, bothers=others)

    def _repeat_overdue(self, now_s: float) -> None:
        for name, consumer in self._consumers.items():
            if name == BROKER or consumer.cursor >= self.position:
                continue
            if consumer.since_s is None:
                consumer.since_s = now_s
            elif now_s - consumer.since_s < self._patience_s(consumer):
                continue
            elif consumer.again_s is not None:
                self._say_again(consumer, now_s)
            else:
                self._ask(name, consumer, now_s)

    def _ask(self, name: str, consumer: Follower, now_s: float) -> None:
        """It has left something unanswered for too long: it is not there, as far as we know."""
        consumer.since_s, consumer.present = now_s, False
        consumer.questions += 1
        if not self._consumers.there and not consumer.own and self.position - consumer.cursor <= GO_BACK:
            self.go_back(consumer.cursor + 1)
            return
        consumer.served = None
        question = StreamMessage(consumer.cursor + 1, True, name if consumer.own else None, own=consumer.own)
        consumer.asked_s = now_s
        if question not in self._again:
            self._again.append(question)
