"""The reference consumer: how to receive the stream so that nothing is lost and nothing counts twice.

The whole art is in ``step``, ``following`` and ``store``:
1. keep what comes in one durable transaction, each message once, in order;
2. acknowledge the last one only then, retained, with its hash: that makes us a witness of the journal;
3. where something is missing, ask for a resend and take nothing from behind the gap;
4. what comes under another epoch, does not follow on what we hold, or is another message under a number
   that we hold, is an alarm for people;
5. what the key that we have pinned did not sign is refused: whoever may publish at the broker could have
   written it.

Who acts on the messages reads them from the file (``MessageStore.messages``) behind a mark of its own, so
that a crash between receiving and acting loses nothing. A restart begins where the file ends; a new consumer
asks the table for a snapshot, which says from where on the table keeps messages for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime

import msgspec

from controller.consumer.following import Following, Letter, utc_now
from controller.consumer.notices import TableNotice
from controller.consumer.store import Keeping
from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
)
from controller.outbox.session import Session
from controller.outbox.topics import Topics


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


ConsumerNotice = TableNotice | BrokerUp | BrokerDown | AccessDenied


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
        key: str = "",
        wall: Callable[[], datetime] = utc_now,
    ) -> None:
        self._name = name
        self._topics = topics
        self._store = store
        self._see = see
        self._session = Session(broker)
        self._following = Following(
            name=name, topics=topics, store=store, see=see, accept_epochs=accept_epochs, key=key, wall=wall
        )
        self._down: BrokerDown | None = None
        self._on_the_way: dict[int, str] = {}
        """Number -> topic of what the broker has not answered for yet."""
        self._denied: set[str] = set()
        """Topics on which it takes nothing from us, on this connection."""

    def step(self, longest_s: float = 1.0) -> None:
        """Wait for something, at most so long, and do what it asks for. StoreError where our own disk
        fails."""
        now_s = time.monotonic()
        if self._session.attempts.due(now_s):
            self._session.open(now_s)
        self._session.wait(longest_s)
        now_s = time.monotonic()
        bodies: list[bytes] = []
        for report in self._session.serve(now_s):
            if isinstance(report, Arrived) and report.topic in self._following.streams:
                bodies.append(report.payload)
            else:
                self._handle(report, now_s)
        self._following.receive(bodies, now_s)  # durable when this returns
        if self._session.connected:
            self._send(self._following.acknowledgement())
            self._send(self._following.question(now_s))

    @property
    def listening(self) -> bool:
        """Whether the stream is heard."""
        return self._following.listening

    @property
    def heard(self) -> bool:
        """Whether we hold all that the table has said, as far as anybody here can know."""
        return self._following.heard(time.monotonic())

    def command(self, name: str, request_of: Callable[[str, datetime], msgspec.Struct]) -> str | None:
        """Send the table a command: ``request_of`` is given its id and when it expires. ``Answered`` has that
        id; None where there is no connection."""
        if not self._session.connected:
            return None
        request_id, letter = self._following.command(name, request_of)
        self._send(letter)
        return request_id

    def retain(self, topic: str, payload: bytes) -> None:
        """Leave a word at the broker, while :attr:`listening`."""
        self._send(Letter(topic, payload, retain=True))

    def stop(self) -> None:
        """Take leave, with a last acknowledgement."""
        last = self._following.farewell()
        if last is not None:
            self._session.leave(Will(last.topic, last.payload))
        else:
            self._session.hang_up()

    def _send(self, letter: Letter | None) -> None:
        if letter is not None:
            mid = self._session.publish(letter.topic, letter.payload, retain=letter.retain)
            if mid is not None:
                self._on_the_way[mid] = letter.topic

    def _handle(self, report: Report, now_s: float) -> None:
        if isinstance(report, Connected):
            self._down = None
            self._on_the_way.clear()
            self._denied.clear()
            self._following.connected(now_s)
            self._session.subscribe(self._following.filters)
            self._see(BrokerUp(report.protocol))
        elif isinstance(report, Subscribed):
            self._following.subscribed(now_s, report.denied)
            for topic, reason in report.denied.items():
                self._see(AccessDenied(topic, reason))
        elif isinstance(report, Puback):
            answered = self._on_the_way.pop(report.mid, "")
            if answered and report.denied is not None and answered not in self._denied:
                self._denied.add(answered)
                self._see(AccessDenied(answered, report.denied))
            elif report.denied is None:
                self._denied.discard(answered)
        elif isinstance(report, ConnectionRefused | ConnectionLost):
            self._end(report)
        elif isinstance(report, Arrived):
            self._following.hear(report, now_s)

    def _end(self, report: ConnectionRefused | ConnectionLost) -> None:
        self._following.lost()
        down = BrokerDown(report.reason, isinstance(report, ConnectionRefused))
        if down != self._down:
            self._down = down
            self._see(down)
