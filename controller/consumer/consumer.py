"""The reference consumer: how to receive the stream so that nothing is lost and nothing counts twice.

The whole art is in ``_receive`` and in ``store``:
1. keep what comes in one durable transaction, each message once, in order;
2. acknowledge the last one only then, retained, with its hash: that makes us a witness of the journal;
3. where something is missing, ask for a resend and take nothing from behind the gap;
4. what comes under another epoch, does not follow on what we hold, or is another message under a number
   that we hold, is an alarm for people.

Who acts on the messages reads them from the file (``MessageStore.messages``) behind a mark of its own, so
that a crash between receiving and acting loses nothing. A restart begins where the file ends; a new consumer
asks the table for a snapshot, which says from where on the table keeps messages for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

import msgspec

from controller.consumer.store import Cursor, Gap, Keeping, OtherEpoch, Outcome, Repeated, Taken
from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.commands import Resend, Snapshot
from controller.outbox.envelope import canonical_json
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Report,
    Subscribed,
)
from controller.outbox.retained import Ack, Status
from controller.outbox.session import Session
from controller.outbox.topics import Topics
from controller.vocabulary.errors import read_json
from controller.vocabulary.replies import CommandError

utc_now = partial(datetime.now, UTC)
ASK_EVERY_S = 5.0
"""What was asked for and has not come is asked for again."""
QUIET_S = 1.0
EXPIRES_S = 30


class NotNamed(msgspec.Struct, frozen=True):
    """The table does not know this consumer; name it under mqtt.consumers there."""

    name: str


class AskedInVain(msgspec.Struct, frozen=True):
    """The table refused what we asked for; with ``late`` or ``expires_too_far_ahead`` a clock is wrong."""

    code: str
    message: str


class Answered(msgspec.Struct, frozen=True):
    """The table's answer to a command of ours; ``code``: why it was refused."""

    id: str
    ok: bool
    code: str = ""


class BrokerUp(msgspec.Struct, frozen=True):
    """The broker let us in."""

    protocol: str


class BrokerDown(msgspec.Struct, frozen=True):
    """There is no connection, and why; said once for each reason. We go on trying."""

    reason: str
    refused: bool
    """The broker answered and does not want us: login, certificate or a setting must be mended."""


class AccessDenied(msgspec.Struct, frozen=True):
    """The broker takes nothing on this topic from us, or lets us hear nothing there; its ACL must be mended.

    Said once a connection; what was to be sent is tried again.
    """

    topic: str
    reason: str


ConsumerNotice = Outcome | Answered | BrokerUp | BrokerDown | AccessDenied | NotNamed | AskedInVain


class _Answer(msgspec.Struct):
    """What we read of a reply."""

    ok: bool
    error: CommandError | None = None
    epoch: int = 0
    sequence: int = 0
    cursors: dict[str, int] | None = None


class Consumer:
    """One consumer of one table's stream. ``step`` does everything; ``see`` is told what happened,
    ``Taken`` too."""

    def __init__(
        self,
        *,
        name: str,
        topics: Topics,
        broker: BrokerSettings,
        store: Keeping,
        see: Callable[[ConsumerNotice], None],
        accept_epochs: bool = False,
        wall: Callable[[], datetime] = utc_now,
    ) -> None:
        self._name = name
        self._topics = topics
        self._store = store
        self._see = see
        self._accept_epochs = accept_epochs
        self._wall = wall
        self._session = Session(broker)
        self.listening = False
        """Whether the stream is heard."""
        self._listens_s = 0.0
        """Since when."""
        self._status: Status | None = None
        """What the table last said of itself."""
        self._down: BrokerDown | None = None
        self._head = 0
        self._asked_s: float | None = None
        self._moved_s = 0.0
        self._gap = self._missing = 0
        self._reply_topic = ""
        self._alarm: OtherEpoch | None = None
        self._requests = 0
        self._commands: set[str] = set()
        """Ids of what the owner asked for and nobody answered yet."""

    def step(self, longest_s: float = 1.0) -> None:
        """Wait for something, at most so long, and do what it asks for. StoreError where our own disk
        fails."""
        now_s = time.monotonic()
        if self._session.attempts.due(now_s):
            self._session.open(now_s)
        self._session.wait(longest_s)
        bodies: list[bytes] = []
        for report in self._session.serve(time.monotonic()):
            if isinstance(report, Arrived) and report.topic == self._topics.events:
                bodies.append(report.payload)
            else:
                self._handle(report)
        self._receive(bodies)
        if self._session.connected:
            self._ask(time.monotonic())

    @property
    def heard(self) -> bool:
        """Whether we hold all that the table has said, as far as anybody here can know: it is online, under
        our epoch, nothing up to its head is missing, and what went out before we listened had its time to
        come."""
        cursor, status = self._store.cursor, self._status
        if not self.listening or cursor is None or time.monotonic() - self._listens_s < QUIET_S:
            return False
        online = status is None or (status.state == "online" and status.epoch == cursor.epoch)
        return online and self._head <= cursor.sequence

    def command(self, name: str, request_of: Callable[[str, datetime], msgspec.Struct]) -> str | None:
        """Send the table a command: ``request_of`` is given its id and when it expires. ``Answered`` has that
        id; None where there is no connection."""
        if not self._session.connected:
            return None
        request_id, expires = self._request()
        self._commands.add(request_id)
        self._session.publish(self._topics.command(name), canonical_json(request_of(request_id, expires)))
        return request_id

    def stop(self) -> None:
        """Take leave, with a last acknowledgement."""
        cursor = self._store.cursor
        if cursor is not None:
            self._session.leave(Will(self._topics.ack(self._name), acknowledgement(cursor)))
        else:
            self._session.hang_up()

    def _receive(self, bodies: Sequence[bytes]) -> None:
        outcomes = self._store.take(bodies)  # durable when this returns
        for number, outcome in enumerate(outcomes):
            if isinstance(outcome, OtherEpoch):
                if self._other_epoch(outcome):
                    self._receive(bodies[number:])
                    return
                continue
            self._see(outcome)
            if isinstance(outcome, Taken):
                self._moved_s = time.monotonic()
            elif isinstance(outcome, Gap):
                self._gap, self._head = outcome.expected, max(self._head, outcome.came)
        if any(isinstance(outcome, Taken | Repeated) for outcome in outcomes):
            self._acknowledge()

    def _acknowledge(self) -> None:
        cursor = self._store.cursor
        if self._session.connected and cursor is not None:
            self._session.publish(self._topics.ack(self._name), acknowledgement(cursor), retain=True)

    # What else is heard

    def _handle(self, report: Report) -> None:
        if isinstance(report, Connected):
            self._down = None
            self._asked_s, self._moved_s = None, time.monotonic()
            self._session.subscribe([self._topics.events, self._topics.status, self._topics.reply("+")])
            self._see(BrokerUp(report.protocol))
            self._acknowledge()
        elif isinstance(report, Subscribed):
            self.listening, self._listens_s = not report.denied, time.monotonic()
            for topic, reason in report.denied.items():
                self._see(AccessDenied(topic, reason))
        elif isinstance(report, ConnectionRefused | ConnectionLost):
            self._end(report)
        elif isinstance(report, Arrived) and report.topic == self._topics.status:
            self._hear_of_table(report.payload, retained=report.retained)
            self._hear_of_head()
        elif isinstance(report, Arrived) and report.topic == self._reply_topic:
            self._answered(report.payload)
        elif isinstance(report, Arrived):
            self._hear_answer(report)

    def _hear_of_table(self, payload: bytes, *, retained: bool) -> None:
        """A table that has just come did not hear what was asked before: ask again at once."""
        before, self._status = self._status, read_json(payload, Status)
        if _up(self._status) and not _up(before) and not retained:
            self._asked_s = None

    def _hear_of_head(self) -> None:
        """The table's status gives the end of the stream, so that a lost end is missed too."""
        status, cursor = self._status, self._store.cursor
        if status is None or cursor is None:
            return
        if status.epoch == cursor.epoch or self._other_epoch(OtherEpoch(cursor.epoch, status.epoch)):
            self._head = status.sequence

    def _other_epoch(self, other: OtherEpoch) -> bool:
        """Sound the alarm, once; whether we go over to that epoch."""
        if other != self._alarm:
            self._alarm = other
            self._see(other)
        accepted = self._accept_epochs and other.epoch > other.ours
        if accepted:
            self._store.accept_epoch(other.epoch)
            self._head = 0
        return accepted

    def _hear_answer(self, report: Arrived) -> None:
        request_id = self._topics.last_part("replies", report.topic)
        answer = read_json(report.payload, _Answer)
        if request_id in self._commands and answer is not None:
            self._commands.discard(request_id)
            code = "" if answer.error is None else answer.error.code
            self._see(Answered(request_id, answer.ok, code))

    def _answered(self, payload: bytes) -> None:
        answer = read_json(payload, _Answer)
        if answer is None:
            return  # not from a table; what was asked for is asked for again
        if answer.error is not None:
            self._see(AskedInVain(answer.error.code, answer.error.message))
        elif answer.cursors is not None and self._name in answer.cursors:
            self._store.begin(answer.epoch, answer.cursors[self._name])
            self._acknowledge()  # tells our cursor: what went out before we listened comes again
            self._head = answer.sequence
        elif answer.cursors is not None:
            self._see(NotNamed(self._name))

    def _end(self, report: ConnectionRefused | ConnectionLost) -> None:
        self.listening = False
        down = BrokerDown(report.reason, isinstance(report, ConnectionRefused))
        if down != self._down:
            self._down = down
            self._see(down)

    # What is asked for

    def _ask(self, now_s: float) -> None:
        """Ask for what is missing: at once where a message came from behind it, else when nothing comes."""
        cursor = self._store.cursor
        missing = 0 if cursor is None else cursor.sequence + 1
        if cursor is not None:
            certain = self._gap == missing
            if missing > self._head or not (certain or now_s - self._moved_s >= QUIET_S):
                return
        if missing == self._missing and self._asked_s is not None and now_s - self._asked_s < ASK_EVERY_S:
            return
        self._asked_s, self._missing = now_s, missing
        request_id, expires = self._request()
        self._reply_topic = self._topics.reply(request_id)
        request: Resend | Snapshot = (
            Snapshot(request_id, expires)
            if cursor is None
            else Resend(request_id, expires, sequence=missing, epoch=cursor.epoch)
        )
        command = self._topics.command("snapshot" if cursor is None else "resend")
        self._session.publish(command, canonical_json(request))

    def _request(self) -> tuple[str, datetime]:
        """The id of the next command, and when it expires."""
        self._requests += 1
        request_id = f"{self._name}-{time.time_ns() // 1_000_000}-{self._requests}"
        return request_id, self._wall() + timedelta(seconds=EXPIRES_S)


def _up(status: Status | None) -> bool:
    return status is not None and status.state == "online"


def acknowledgement(cursor: Cursor) -> bytes:
    """What a consumer writes, retained, on ``acks/<name>``: all up to here is safe with it, and the hash it
    holds."""
    known = cursor.hash if cursor.sequence and cursor.hash else None
    return canonical_json(Ack(cursor.epoch, cursor.sequence, known))
