"""Carries the outbox to the broker: the pump, the connection and the durable rows, driven by the one loop
thread.

The loop calls ``handle`` with every report from its queue, ``poll`` after the last of them, after every
commit and when ``due_s`` says so, and ``keep_places`` when all else is done. The first two return notices
for the shell. Nothing here waits, except ``stop``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from controller.outbox.attempts import Attempts
from controller.outbox.commands import Refusal
from controller.outbox.counters import Counters
from controller.outbox.inbox import Inbox
from controller.outbox.lookout import Lookout
from controller.outbox.mqtt import BrokerSettings, Link, Will
from controller.outbox.notices import (
    AccessDenied,
    LinkDown,
    LinkUp,
    MayNotRun,
    NobodyListens,
    Notice,
    RowsReadable,
    RowsUnreadable,
    SomebodyListens,
)
from controller.outbox.payloads import sent_late
from controller.outbox.places import Places
from controller.outbox.pump import BROKER, Pump, Retain, Row, Step
from controller.outbox.reports import Arrived, Connected, Lost, Puback, Published, Refused, Report
from controller.outbox.requests import Requests
from controller.outbox.rollcall import RollCall, name_consumers
from controller.outbox.rows import Reader, Rows
from controller.outbox.status import State, Unit, status_of
from controller.outbox.topics import Topics
from controller.vocabulary.errors import JournalError
from controller.vocabulary.histogram import Histogram

STATUS_EVERY_S = 5.0
"""The head of the stream in the retained status is brought up to date this often."""
LOOK_S = 1.0
"""``poll`` is wanted this often though nothing happens."""
AWAY_S = 1.5
"""Who was not called for longer was held up, as by a slow disk: answers are heard before a judgement."""
UNREADABLE_S = 2.0
"""Before the journal is asked again for what it did not give."""


def utc_now() -> datetime:
    """Wall time."""
    return datetime.now(UTC)


class Courier:
    """The outbox at work. ``consumers`` are those of the configuration; the journal may still know others."""

    def __init__(
        self,
        *,
        topics: Topics,
        broker: BrokerSettings,
        unit: Unit,
        consumers: Sequence[str],
        ack_timeout_s: float,
        rows: Rows,
        deliver: Callable[[Report], None],
        wall: Callable[[], datetime] = utc_now,
        look_first: bool = False,
        previous: int | None = None,
    ) -> None:
        """``look_first``: see that nobody else is this table before saying a word as it.

        ``previous``: the epoch that this unit took over; None: none.
        """
        self._topics = topics
        self._unit = unit
        self._rows = rows
        self._wall = wall
        self._link = Link(broker, deliver)
        name_consumers(rows, consumers)
        self._pump = Pump(
            epoch=rows.epoch, cursors=rows.cursors(), head=rows.stream_head, ack_timeout_s=ack_timeout_s
        )
        self._inbox = Inbox(topics, unit, rows, self._pump)
        self._roll = RollCall(consumers, rows.cursors())
        self._reader = Reader(rows)
        self._requests = Requests(topics, rows, self._pump)
        self._attempts = Attempts()
        self._lookout = Lookout(topics, self._link, unit, rows, previous, wall) if look_first else None
        self._running = False
        self._status_s = 0.0
        self._status_head = -1
        self._places = Places(rows, self._pump)
        self._down: LinkDown | None = None
        self._listening = False
        self._unheard = False
        self._called_s = self._back_s = 0.0
        self._unreadable = False
        self.broker_certificate_ends_s: float | None = None
        """When the certificate that the broker showed last ends, seconds since 1970."""
        self._denied: set[str] = set()
        self._connections = self._sent = self._taken = 0
        self._publish_s = Histogram()
        self._handed_s: dict[int, float] = {}
        """Number that the client gave to a message under way -> when it was handed over."""
        self._retain_status(self._status_s)

    def start(self, now_s: float) -> None:
        """Reach for the broker from the next ``poll`` on; an absent one is no error. Times are monotonic
        seconds.
        """
        self._running = True
        self._attempts.next_s = now_s

    def handle(self, report: Report, now_s: float) -> list[Notice]:
        """Take in one report of the connection; what may go now goes with the next ``poll``."""
        if not self._running or self._attempts.opened_s is None or report.connection != self._link.connection:
            return []
        lookout = self._lookout
        if lookout is not None and lookout.looking:
            lookout.handle(report, now_s)
            return self._ended(report, now_s) if isinstance(report, Refused | Lost) else []
        if lookout is not None:
            lookout.heard(now_s)
        try:
            return self._taken_in(report, now_s)
        except JournalError as error:
            return self._unread(error, now_s)

    def _taken_in(self, report: Report, now_s: float) -> list[Notice]:
        if isinstance(report, Published):
            return [notice for answer in report.answers for notice in self._published(answer, now_s)]
        if isinstance(report, Arrived):
            return self._arrived(report, now_s)
        if isinstance(report, Connected):
            return self._connected(report, now_s)
        if isinstance(report, Refused | Lost):
            return self._ended(report, now_s)
        self._listening = True
        self._roll.listen(now_s)
        return [AccessDenied(topic, reason) for topic, reason in report.denied.items()]

    def poll(self, now_s: float) -> list[Notice]:
        """Send what may go now, repeat what is overdue, try the broker again; returns what came of it."""
        if not self._running:
            return []
        if now_s - self._called_s > AWAY_S:
            self._back_s = now_s
        self._called_s = now_s
        self._pump.grow(self._rows.stream_head)
        notices = self._spoken(now_s)  # first: what is durable now waits for nothing else
        if (released := self._pump.release()) is not None:
            self._rows.set_cursor(BROKER, released)
        notices += self._looked(now_s)
        silence = self._silence(now_s)
        if silence is not None:
            notices += self._ended(Lost(self._link.connection, silence), now_s)
        elif self._attempts.opened_s is None and now_s >= self._attempts.next_s:
            self._open(now_s)
        notices += self._roll.call(self._pump.cursors, self._rows.stream_head, now_s)
        return notices

    def keep_places(self, now_s: float) -> None:
        """Write where consumers stand, where that is due; it takes the disk, and nobody waits for it."""
        if self._running:
            self._places.keep(now_s)

    def due_s(self, now_s: float) -> float:
        """When ``poll`` and ``keep_places`` want to be called next, at the latest, though nothing happens."""
        times = [now_s + LOOK_S]
        if (places_s := self._places.due_s) is not None:
            times.append(places_s)
        if self._attempts.opened_s is None:
            times.append(self._attempts.next_s)
        if self._lookout is not None and self._lookout.limit_s is not None:
            times.append(self._lookout.limit_s)
        pump_s = self._pump.due_s(now_s)
        if pump_s is not None:
            times.append(pump_s)
        return min(times)

    def set_retained(self, state: Mapping[str, bytes | None]) -> None:
        """These topics shall hold these payloads, None deletes; others stay as they are.

        Call it after the commit of the messages that the state belongs to: it does not overtake them.
        """
        self._pump.grow(self._rows.stream_head)
        self._pump.retain(state)

    def reply(self, request_id: str, answer: Mapping[str, object]) -> None:
        """Answer a command that came as a notice, under its id."""
        self._requests.reply(request_id, answer)

    def refuse(self, refusal: Refusal) -> None:
        """Say that a command that came as a notice is not carried out."""
        self._requests.refuse(refusal)

    @property
    def acknowledged(self) -> Mapping[str, int]:
        """Consumer -> up to where it has everything."""
        return self._pump.cursors

    @property
    def counters(self) -> Counters:
        """Where the outbox stands now."""
        head, acknowledged = self.standing()
        return Counters(
            connected=self._pump.connected,
            listening=self._listening,
            connections=self._connections,
            head=head,
            sent=self._sent,
            taken=self._taken,
            acknowledged=self._pump.cursors,
            pending=head - acknowledged,
            publish_s=self._publish_s.copy(),
        )

    def standing(self) -> tuple[int, int]:
        """The head of the stream, and up to where every consumer has it."""
        head = self._rows.stream_head
        return head, min(self._pump.cursors.values(), default=head)

    def stop(self, *, clean: bool = True) -> None:
        """Say ``offline`` and take leave, within seconds; not ``clean``: vanish, the broker has the will."""
        self._running = False
        if clean and self._pump.connected:
            self._link.close(Will(self._topics.status, self._status("offline")))
        else:
            self._link.drop()
        self._pump.disconnect()
        with contextlib.suppress(JournalError):
            self._rows.flush()

    # The connection

    def _open(self, now_s: float) -> None:
        self._attempts.begin(now_s)
        if self._lookout is not None and self._lookout.wanted(now_s):
            self._lookout.begin()
            self._link.open(self._attempts.protocol, None, self._lookout.client_name)
            return
        self._link.open(self._attempts.protocol, Will(self._topics.status, self._status("lost")))

    def _looked(self, now_s: float) -> list[Notice]:
        """The end of a look: go on as the table, or never again."""
        lookout = self._lookout
        if lookout is None or not lookout.done(now_s):
            return []
        self._link.drop()
        denial = lookout.outcome(now_s)
        self._attempts.opened_s = None
        self._attempts.next_s = now_s if denial is None else math.inf
        return [] if denial is None else [MayNotRun(denial.code, denial.message)]

    def _connected(self, report: Connected, now_s: float) -> list[Notice]:
        self._connections += 1
        self.broker_certificate_ends_s = report.certificate_ends_s
        if self._lookout is not None:
            self._lookout.connected(now_s)
        self._down = None
        self._denied.clear()
        self._reader.clear()
        self._handed_s.clear()
        # The subscriptions go first, so that the birth of another unit is seen before ours hides it.
        self._link.subscribe(self._inbox.filters())
        self._retain_status(now_s)
        self._pump.connect(report.window)
        return [LinkUp(report.protocol)]

    def _ended(self, report: Refused | Lost, now_s: float) -> list[Notice]:
        self._attempts.end(report, now_s, was_connected=self._pump.connected)
        if self._lookout is not None:
            self._lookout.broke(now_s)
        self._listening = False
        self._roll.deaf()
        self._link.drop()
        self._pump.disconnect()
        down = LinkDown(report.reason, isinstance(report, Refused))
        if down == self._down:
            return []
        self._down = down
        return [down]

    def _silence(self, now_s: float) -> str | None:
        """What the broker owes us for too long, None where it does not."""
        if self._pump.connected:
            silent = self._pump.stalled(now_s) and now_s - self._back_s >= LOOK_S
            return "the broker has stopped answering" if silent else None
        if self._attempts.unanswered(now_s):
            return "the broker does not answer to CONNECT"
        return None

    def _status(self, state: State) -> bytes:
        return status_of(self._unit, state, self._rows.epoch, self._rows.stream_head)

    def _retain_status(self, now_s: float) -> None:
        self._status_s = now_s
        self._status_head = self._rows.stream_head
        self._pump.retain({self._topics.status: self._status("online")})

    # Out

    def _spoken(self, now_s: float) -> list[Notice]:
        try:
            return self._send(now_s)
        except JournalError as error:
            return self._unread(error, now_s)

    def _send(self, now_s: float) -> list[Notice]:
        """Send all that may go. JournalError where a row cannot be read; what went out before it is out."""
        if not self._pump.connected:
            return []
        rows = self._sent
        if self._status_head != self._rows.stream_head and now_s - self._status_s >= STATUS_EVERY_S:
            self._retain_status(now_s)
        if (step := self._pump.next(now_s)) is not None:
            with self._link.together():
                self._send_from(step, now_s)
        if not self._unreadable or self._sent == rows:
            return []
        self._unreadable = False
        return [RowsReadable()]

    def _send_from(self, step: Step | None, now_s: float) -> None:
        """Send this and what follows on it."""
        while step is not None:
            mid = self._launch(step)
            if mid is None:
                return  # the connection has just gone; its report is on the way
            self._pump.launch(mid, step, now_s)
            if isinstance(step, Row):
                self._handed_s[mid] = now_s
            step = self._pump.next(now_s)

    def _unread(self, error: JournalError, now_s: float) -> list[Notice]:
        """What is to be sent cannot be read: hang up, so that nothing overtakes it, and try again."""
        notices = self._ended(Lost(self._link.connection, error.message), now_s)
        self._attempts.next_s = now_s + UNREADABLE_S
        if self._unreadable:
            return notices
        self._unreadable = True
        return [*notices, RowsUnreadable(error.message)]

    def _launch(self, step: Step) -> int | None:
        if not isinstance(step, Row):
            return self._link.publish(step.topic, step.payload, retain=isinstance(step, Retain))
        body = self._reader.row(step.sequence).body
        letter = sent_late(body) if step.historical else body
        mid = self._link.publish(self._topics.events, letter, retain=False)
        self._sent += mid is not None
        return mid

    def _published(self, answer: Puback, now_s: float) -> list[Notice]:
        step = self._pump.land(answer.mid, now_s, denied=answer.denied is not None)
        handed_s = self._handed_s.pop(answer.mid, None)
        if handed_s is not None:
            self._publish_s.observe(now_s - handed_s)
        if step is None:
            return []
        topic = self._topics.events if isinstance(step, Row) else step.topic
        if answer.denied is not None:
            if topic in self._denied:
                return []
            self._denied.add(topic)
            return [AccessDenied(topic, answer.denied)]
        if not isinstance(step, Row):
            return []
        self._taken += 1
        if answer.nobody == self._unheard:
            return []
        self._unheard = answer.nobody
        return [NobodyListens() if answer.nobody else SomebodyListens()]

    # In

    def _arrived(self, report: Arrived, now_s: float) -> list[Notice]:
        consumer = self._topics.last_part("acks", report.topic)
        if consumer is not None:
            notices = self._roll.heard(consumer, now_s) if report.payload else []
            return notices + self._inbox.ack(consumer, report.payload, now_s, retained=report.retained)
        name = self._topics.last_part("commands", report.topic)
        if name is not None:
            return self._requests.carry_out(name, self._inbox.command(name, report, self._wall(), now_s))
        if report.topic == self._topics.status:
            return self._inbox.status(report)
        return self._inbox.alert(report)
