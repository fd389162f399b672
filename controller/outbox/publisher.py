"""The publisher: carries the durable stream and the retained state to the broker, and takes in what comes.

The loop calls ``poll`` after every commit and whenever ``interest`` or ``due_s`` says so, and
``flush_cursors`` when all else is done. Nothing here waits, except ``stop``. From a commit to the socket a
message goes through ``poll`` and ``Session.publish``, nothing else.
"""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import msgspec

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.claim import Denial
from controller.outbox.commands import CommandArrived
from controller.outbox.counters import OutboxCounters
from controller.outbox.denied import Denied
from controller.outbox.envelope import sent_late, signed
from controller.outbox.outgoing import OutgoingMessage, RetainedMessage, StreamMessage
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
)
from controller.outbox.retained import State, Unit, status_of
from controller.outbox.rollcall import DEAF, RollCall
from controller.outbox.schedule import BROKER, Schedule
from controller.outbox.session import Session
from controller.outbox.signature import Signer
from controller.outbox.stream import CursorFlush, ReadAhead, Stream, name_consumers
from controller.outbox.subscription import Subscription
from controller.outbox.takeover import Takeover
from controller.outbox.topics import Topics
from controller.vocabulary.conditions import BROKER as BROKER_GONE
from controller.vocabulary.conditions import JOURNAL, LISTENERS, MAY_NOT_RUN, Condition
from controller.vocabulary.errors import JournalError
from controller.vocabulary.histogram import Histogram

log = logging.getLogger(__name__)

CLOUDEVENTS = "application/cloudevents+json"
"""The content type of the stream, as CloudEvents wants it of MQTT 5."""
STATUS_EVERY_S = 5.0
"""The head of the stream in the retained status is brought up to date this often."""
LOOK_S = 1.0
"""``poll`` is wanted this often though nothing happens."""
AWAY_S = 1.5
"""A loop that did not poll for longer was held up, as by a slow disk: the broker may have waited for the same
disk, and is not given up in the next ``LOOK_S``."""
utc_now = partial(datetime.now, UTC)
UNREADABLE_S = 2.0
"""Before the journal is asked again for what it did not give."""


class Publisher:
    """The outbox at work. ``consumers`` are those of the configuration; the journal may still know others."""

    def __init__(
        self,
        *,
        topics: Topics,
        broker: BrokerSettings,
        unit: Unit,
        signer: Signer,
        consumers: Sequence[str],
        ack_timeout_s: float,
        stream: Stream,
        wall: Callable[[], datetime] = utc_now,
        look_first: bool = False,
        previous: int | None = None,
    ) -> None:
        """``look_first``: make sure that nobody else is this table before publishing as it.

        ``previous``: the epoch that this unit took over; None: none.
        """
        self._topics = topics
        self._unit = msgspec.structs.replace(unit, keyid=signer.keyid, public_key=signer.key)
        self._signer = signer
        self._stream = stream
        self._session = Session(broker)
        begin = max(stream.cursors().values(), default=None)  # before a new consumer begins at the head
        name_consumers(stream, consumers)
        cursors = stream.cursors()
        self._schedule = Schedule(
            epoch=stream.epoch,
            cursors=cursors,
            head=stream.stream_head,
            ack_timeout_s=ack_timeout_s,
            begin=begin,
        )
        self.subscription = Subscription(topics, unit, stream, self._schedule, wall)
        """Answers the commands that ``poll`` returns."""
        self._roll = RollCall(consumers, cursors)
        self._ahead = ReadAhead(stream)
        self._cursors = CursorFlush(stream)
        self._takeover = Takeover(topics, self._session, unit, stream, previous, wall) if look_first else None
        self._running = False
        self._polled_s = self._back_s = 0.0
        """When it polled last, and when it did after it had been held up."""
        self._status_s = 0.0
        self._status_head = -1
        self._broker: dict[str, Condition | None] = {}
        """Empty before the broker first let us in, or did not."""
        self._listening = False
        self._unheard = False
        self._unreadable: str | None = None
        """Why what is to be sent could not be read when it was last tried."""
        self._denied = Denied()
        self.denial: Denial | None = None
        """Why this unit may not be the table: it publishes no more."""
        self.broker_certificate_ends_s: float | None = None
        """When the certificate that the broker showed last ends, seconds since 1970."""
        self._connections = self._sent = self._taken = 0
        self._publish_s = Histogram()
        self._retain_status(self._status_s)

    def start(self, now_s: float) -> None:
        """Reach for the broker from the next ``poll`` on; an absent one is no error. Times are monotonic
        seconds.
        """
        self._running = True
        self._session.attempts.next_s = now_s

    def poll(self, now_s: float) -> list[CommandArrived]:
        """Publish what may go now, take in what came, try the broker again; the commands that are the table's
        business.
        """
        if not self._running:
            return []
        if now_s - self._polled_s > AWAY_S:
            self._back_s = now_s
        self._polled_s = now_s
        self.publish(now_s)
        commands = self._receive(now_s)
        if (released := self._schedule.release()) is not None:
            self._stream.set_cursor(BROKER, released)
        self._looked(now_s)
        heard_out = now_s - self._back_s >= LOOK_S and not self._session.unread
        if heard_out and self._schedule.stalled(now_s):
            self._disconnected(self._session.break_off("the broker has stopped answering", now_s), now_s)
        if self._session.attempts.due(now_s):
            self._open(now_s)
        match self._roll.call(self._schedule.cursors, self._stream.stream_head, now_s):
            case "ask ourselves":
                self._schedule.retain_again(self._topics.status)
            case "deaf":
                self._disconnected(self._session.break_off(DEAF, now_s, elsewhere=True), now_s)
        return commands

    def publish(self, now_s: float) -> None:
        """Publish what may go now, and nothing else: right after a commit, so that it waits for nothing."""
        if self._running:
            self._schedule.extend(self._stream.stream_head)
            self._send(now_s)

    def conditions(self, now_s: float) -> dict[str, Condition | None]:
        """What holds now of broker, consumers and other units; None for what does not."""
        found = {**self._broker, **self.subscription.conditions(now_s), **self._roll.missed}
        found.update(self._denied.conditions())
        if self._unheard:
            found[LISTENERS.code] = LISTENERS.holds("nobody subscribes to the event stream")
        if self._unreadable is not None:
            found[JOURNAL.code] = JOURNAL.holds(
                f"what is to be sent cannot be read: {self._unreadable}; run dealer-table verify"
            )
        if self.denial is not None:
            found[MAY_NOT_RUN.code] = MAY_NOT_RUN.holds(self.denial.message)
        return found

    def flush_cursors(self, now_s: float) -> None:
        """Write the cursors that moved, where that is due; it takes the disk, and nobody waits for it."""
        if self._running:
            self._cursors.flush(now_s)

    def interest(self) -> tuple[int, int] | None:
        """The broker's descriptor, and the events of ``select`` on it after which ``poll`` is wanted."""
        return self._session.interest() if self._running else None

    def due_s(self, now_s: float) -> float:
        """When ``poll`` and ``flush_cursors`` want to be called at the latest, though nothing happens."""
        if self._session.unread:
            return now_s
        times = [now_s + LOOK_S, self._cursors.due_s, self._schedule.due_s(now_s)]
        if self._session.attempts.opened_s is None:
            times.append(self._session.attempts.next_s)
        if self._takeover is not None:
            times.append(self._takeover.limit_s)
        return min(time_s for time_s in times if time_s is not None)

    def set_retained(self, state: Mapping[str, bytes | None]) -> None:
        """These topics shall hold these payloads, None deletes; others stay as they are.

        Call it after the commit of the messages that the state belongs to: it does not overtake them.
        """
        self._schedule.extend(self._stream.stream_head)
        self._schedule.retain(state)

    @property
    def counters(self) -> OutboxCounters:
        """The outbox now."""
        head, acknowledged = self.standing()
        return OutboxCounters(
            connected=self._schedule.connected,
            listening=self._listening,
            connections=self._connections,
            head=head,
            sent=self._sent,
            taken=self._taken,
            acknowledged=self._schedule.cursors,
            pending=head - acknowledged,
            publish_s=self._publish_s.copy(),
        )

    def acknowledged(self, consumer: str) -> int:
        """Up to where a consumer has the stream; 0: nobody of that name is heard."""
        return self._schedule.cursors.get(consumer, 0)

    def standing(self) -> tuple[int, int]:
        """The head of the stream, and up to where every consumer has it."""
        head = self._stream.stream_head
        return head, min(self._schedule.cursors.values(), default=head)

    def stop(self, *, clean: bool = True) -> None:
        """Say ``offline`` and take leave, within seconds; not ``clean``: vanish, the broker has the will."""
        self._running = False
        if clean and self._schedule.connected:
            self._session.leave(Will(self._topics.status, self._status("offline")))
        else:
            self._session.hang_up()
        self._schedule.disconnect()
        with contextlib.suppress(JournalError):
            self._stream.flush()

    # Out

    def _send(self, now_s: float) -> None:
        """Publish all that may go."""
        if not self._schedule.connected:
            return
        sent = self._sent
        if self._status_head != self._stream.stream_head and now_s - self._status_s >= STATUS_EVERY_S:
            self._retain_status(now_s)
        try:
            while (message := self._schedule.next(now_s)) is not None:
                if (written := self._written(message)) is None:
                    continue
                mid = self._session.publish(
                    *written,
                    retain=isinstance(message, RetainedMessage),
                    content=CLOUDEVENTS if isinstance(message, StreamMessage) else None,
                )
                if mid is None:
                    break  # the connection has just gone; its report is on the way
                self._sent += isinstance(message, StreamMessage)
                self._schedule.sent(mid, message, now_s)
        except JournalError as error:
            self._hold_back(error, now_s)
            return
        if self._sent != sent:
            self._unreadable = None

    def _written(self, message: OutgoingMessage) -> tuple[str, bytes | None] | None:
        """Topic and payload; None for what is not kept any more, and nobody lacks who must have it."""
        if not isinstance(message, StreamMessage):
            return message.topic, message.payload
        try:
            entry = self._ahead.message(message.sequence)
        except JournalError:
            if self._schedule.gives_up(message):
                return None
            raise
        seal = entry.seal
        if seal is None or not self._signer.made(seal):  # recorded before this key: it is of our own journal
            seal = self._signer.seal(bytes.fromhex(entry.hash))
        body = signed(entry.body, seal)
        return self._topic(message), sent_late(body) if message.historical else body

    def _topic(self, message: OutgoingMessage) -> str:
        if not isinstance(message, StreamMessage):
            return message.topic
        return self._topics.repeats(message.to) if message.own and message.to else self._topics.events

    def _hold_back(self, error: JournalError, now_s: float) -> None:
        """What is to be sent cannot be read: hang up, so that nothing overtakes it, and try again."""
        self._disconnected(self._session.break_off(error.message, now_s), now_s)
        self._session.attempts.next_s = now_s + UNREADABLE_S
        self._unreadable = error.message

    # In

    def _receive(self, now_s: float) -> list[CommandArrived]:
        commands, reports = list[CommandArrived](), self._session.serve(now_s)
        try:
            for report in reports:
                commands += self._handle(report, now_s)
            self.subscription.deferred(now_s)
        except JournalError as error:
            self._hold_back(error, now_s)
            return commands
        if reports:
            self._send(now_s)
        return commands

    def _handle(self, report: Report, now_s: float) -> list[CommandArrived]:
        look = self._takeover is not None and self._takeover.take(report, now_s)
        match report:
            case ConnectionRefused() | ConnectionLost():
                self._disconnected(report, now_s)
            case _ if look:
                pass  # nobody else's
            case Puback():
                self._answered(report, now_s)
            case Arrived():
                if report.topic == self._topics.status and not report.retained:
                    self._roll.heard_ourselves()
                consumer = self._topics.last_part("acks", report.topic)
                if consumer is not None and report.payload:
                    self._roll.heard(consumer, now_s, retained=report.retained)
                return self.subscription.handle(report, now_s)
            case Connected():
                self._connected(report, now_s)
            case Subscribed():
                self._listening = True
                self._roll.listen(now_s)
                self._denied.subscribed(report.denied)
        return []

    def _answered(self, answer: Puback, now_s: float) -> None:
        if (flight := self._schedule.flight(answer.mid)) is None:
            return
        message, topic = flight.message, self._topic(flight.message)
        self._schedule.answered(answer.mid, now_s, denied=answer.denied is not None)
        self._denied.answered(topic, answer.denied)
        if isinstance(message, StreamMessage):
            self._publish_s.observe(now_s - flight.sent_s)
            if answer.denied is None:
                self._taken += 1
                if topic == self._topics.events:  # who listens elsewhere, or does not, says nothing of it
                    self._unheard = answer.nobody

    # The connection

    def _open(self, now_s: float) -> None:
        if self._takeover is not None and self._takeover.wanted(now_s):
            self._takeover.begin()
            self._session.open(now_s, also_named=self._takeover.client_name)
        else:
            self._session.open(now_s, Will(self._topics.status, self._status("lost")))

    def _looked(self, now_s: float) -> None:
        """The end of a look: go on as the table, or never again."""
        if self._takeover is None or not self._takeover.done(now_s):
            return
        self._session.hang_up()
        self.denial = self._takeover.outcome(now_s)
        self._session.attempts.next_s = now_s if self.denial is None else math.inf

    def _connected(self, report: Connected, now_s: float) -> None:
        self._connections += 1
        log.info("the broker let us in, MQTT %s, connection %d", report.protocol, self._connections)
        if report.protocol != self._session.broker.protocol:
            log.warning("no connection in MQTT 5: in %s no broker says what it refuses", report.protocol)
        self.broker_certificate_ends_s = report.certificate_ends_s
        self._broker = {BROKER_GONE.code: None}
        self._denied.connected()
        self._ahead.clear()
        # The subscriptions go first, so that the birth of another unit is seen before ours hides it.
        self._listen()
        self._retain_status(now_s)
        self._schedule.connect(report.window)

    def _listen(self) -> None:
        self._session.subscribe(self.subscription.filters(), spoken=self.subscription.spoken())

    def _disconnected(self, report: ConnectionRefused | ConnectionLost, now_s: float) -> None:
        if self._takeover is not None:
            self._takeover.broke(now_s)
        self._listening = False
        self._roll.deaf()
        self._schedule.disconnect()
        self._broker = {BROKER_GONE.code: BROKER_GONE.holds(f"no broker: {report.reason}")}

    def _status(self, state: State) -> bytes:
        return status_of(self._unit, state, self._stream.epoch, self._stream.stream_head)

    def _retain_status(self, now_s: float) -> None:
        self._status_s = now_s
        self._status_head = self._stream.stream_head
        self._schedule.retain({self._topics.status: self._status("online")})
