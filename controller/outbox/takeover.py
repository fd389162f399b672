"""May this unit be the table? Before it publishes as the table, it looks at what the broker knows.

The look is a connection with a name of its own and no will, so a unit that lives is not disturbed. What is
retained comes after the subscription and before a mark that we send to ourselves. If the status is
``online`` we ask ``who``: a unit that lives answers, one that lost its power does not. Of several brokers we
ask in any case: the nodes of some clusters (RabbitMQ) keep what is retained each for itself.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta

from controller.outbox.claim import Claim, Denial, Sighting, judge
from controller.outbox.commands import Who
from controller.outbox.envelope import canonical_json
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Report,
    Subscribed,
)
from controller.outbox.retained import LARGEST_ACK_BYTES, Ack, Status, Unit
from controller.outbox.schedule import BROKER
from controller.outbox.session import Session
from controller.outbox.stream import Stream
from controller.outbox.topics import Topics
from controller.vocabulary.errors import read_json

log = logging.getLogger(__name__)

ANSWER_S = 2.0
"""So long a unit that lives may take to answer: its disk may be slow."""
RETAINED_S = 2.0
"""So long we wait for the mark, where the broker does not let us send it."""
EXPIRES_S = 60
AGAIN_S = 5.0
"""After so long without a word from the broker another unit may have taken over."""
BRIEF_S = 10.0
MOST_BRIEF = 2
"""So many connections in a row that held for less than ``BRIEF_S``: another unit may take our name."""
MOST_ACKS = 256
"""Acknowledgements that a look takes in."""
MOST_TRIES = 3
"""A broker that ends so many looks has told what it will."""


class Look:
    """One look. Feed it every report of its connection; ``done`` says when it has seen enough."""

    def __init__(
        self,
        topics: Topics,
        session: Session,
        epoch: int,
        boot: int,
        wall: Callable[[], datetime],
        consumers: Iterable[str] = (),
        *,
        several: bool = False,
    ) -> None:
        """``consumers``: those that may have left an acknowledgement; some brokers give what is retained for
        exact topics only. ``several``: there are other brokers, which may keep what this one does not."""
        self._topics = topics
        self._acks_of = tuple(topics.ack(name) for name in consumers if name != BROKER)
        self._session = session
        self._several = several
        self._ours = (epoch, boot)
        self._wall = wall
        self._mark = secrets.token_hex(8).encode()
        self._request_id = f"who-{secrets.token_hex(8)}"
        self._retained: dict[str, bytes] = {}
        self._acks: dict[str, Ack] = {}
        self._gone = False
        self._answered = False
        self._asked = False
        self.limit_s: float | None = None
        """When it is done at the latest; None before it is connected."""

    def filters(self) -> Sequence[str]:
        """What to listen to."""
        topics = self._topics
        reply = topics.reply(self._request_id)
        own = (topics.status, topics.display, topics.result, reply, topics.doctor)
        return (*own, topics.ack("+"), *self._acks_of)

    def handle(self, report: Report, now_s: float) -> None:
        """Take in what came."""
        if isinstance(report, Connected):
            self.limit_s = now_s + RETAINED_S
            self._session.subscribe(self.filters())
        elif isinstance(report, Subscribed):
            self._session.publish(self._topics.doctor, self._mark)
        elif isinstance(report, Arrived):
            self._arrived(report, now_s)

    def done(self, now_s: float) -> bool:
        """Whether all has been seen that will be; asks ``who`` where that is still to be done."""
        if self.limit_s is None or (not self._asked and now_s < self.limit_s):
            return False
        if not self._asked:
            self._ask(now_s)
        return self._answered or self._gone or self.limit_s <= now_s

    @property
    def sighting(self) -> Sighting:
        """What was seen."""
        topics = self._topics
        return Sighting(
            status=self._status,
            acks=dict(self._acks),
            display=self._retained.get(topics.display),
            result=self._retained.get(topics.result),
            answered=self._answered,
        )

    @property
    def _status(self) -> Status | None:
        return read_json(self._retained.get(self._topics.status), Status)

    def _arrived(self, report: Arrived, now_s: float) -> None:
        if report.topic == self._topics.reply(self._request_id):
            self._answered = True
        elif report.topic == self._topics.doctor:
            if report.payload == self._mark and not self._asked:
                self._ask(now_s)
        elif (consumer := self._topics.last_part("acks", report.topic)) is not None:
            self._acknowledged(consumer, report.payload)
        elif report.payload:
            self._retained[report.topic] = report.payload
            status = self._status
            # The broker has just noticed that it is gone.
            of_status = self._asked and report.topic == self._topics.status
            self._gone |= of_status and status is not None and status.state != "online"

    def _acknowledged(self, consumer: str, payload: bytes) -> None:
        """What a consumer left; who has no right to a name could leave any number of any size."""
        if len(payload) <= LARGEST_ACK_BYTES and len(self._acks) < MOST_ACKS:
            ack = read_json(payload, Ack)
            if ack is not None:
                self._acks[consumer] = ack

    def _ask(self, now_s: float) -> None:
        """All that is retained has come: is the unit whose status is ``online`` alive?"""
        self._asked = True
        self.limit_s = now_s
        status = self._status
        gone = status is None or status.state != "online"
        if gone and not self._several:
            return
        if status is not None and (status.epoch, status.boot) == self._ours:
            return
        self.limit_s = now_s + ANSWER_S
        who = Who(self._request_id, self._wall() + timedelta(seconds=EXPIRES_S), *self._ours)
        self._session.publish(self._topics.command("who"), canonical_json(who))


class Takeover:
    """Looks at the first connection, after a silence, and when another unit may have taken our name."""

    def __init__(
        self,
        topics: Topics,
        session: Session,
        unit: Unit,
        stream: Stream,
        previous: int | None,
        wall: Callable[[], datetime],
    ) -> None:
        self._topics = topics
        self._session = session
        self._unit = unit
        self._stream = stream
        self._previous = previous
        self._wall = wall
        self._look: Look | None = None
        self._broken = 0
        self._brief = 0
        self._up_s: float | None = None
        self._spoken = False
        self._heard_s: float | None = None

    @property
    def client_name(self) -> str:
        """What a look adds to our name at the broker."""
        return f"-look-{self._unit.boot}"

    @property
    def limit_s(self) -> float | None:
        """When a look under way ends at the latest."""
        return None if self._look is None else self._look.limit_s

    def wanted(self, now_s: float) -> bool:
        """Whether the next connection must be a look."""
        return self._heard_s is None or now_s - self._heard_s > AGAIN_S

    def begin(self) -> None:
        """The connection that is opened now is a look."""
        stream = self._stream
        self._look = Look(
            self._topics,
            self._session,
            stream.epoch,
            self._unit.boot,
            self._wall,
            stream.cursors(),
            several=self._session.several,
        )

    def take(self, report: Report, now_s: float) -> bool:
        """A report of the session; whether it was a look's, and so nobody else's."""
        if self._look is not None:
            self._look.handle(report, now_s)
            return True
        self._spoken = True  # also where the connection failed: the broker may have published our will
        if not isinstance(report, ConnectionLost | ConnectionRefused):
            self._heard_s = now_s
        if isinstance(report, Connected):
            self._up_s = now_s
        return False

    def broke(self, now_s: float) -> None:
        """The connection ended; a look that was under way has to be made again."""
        up_s, self._up_s = self._up_s, None
        if up_s is not None:
            self._brief = self._brief + 1 if now_s - up_s < BRIEF_S else 0
            if self._brief >= MOST_BRIEF:
                self._brief, self._heard_s = 0, None
        if self._look is not None and self._look.limit_s is not None:
            self._broken += 1
            if self._broken >= MOST_TRIES:
                self._heard_s = now_s  # for the next connection, not for one after a long outage
        self._look = None

    def done(self, now_s: float) -> bool:
        """Whether a look under way has seen enough."""
        return self._look is not None and self._look.done(now_s)

    def outcome(self, now_s: float) -> Denial | None:
        """The verdict of the look; None: this unit may be the table."""
        if self._look is None:
            return None
        seen, self._look = self._look.sighting, None
        claim = Claim(
            epoch=self._stream.epoch,
            boot=self._unit.boot,
            head=self._stream.stream_head,
            previous=self._previous,
            known=any(self._stream.cursors().values()),
            spoken=self._spoken,
        )
        self._broken = 0
        self._heard_s = now_s
        older = max(seen.epochs - {claim.epoch, claim.previous}, default=0)
        if not claim.known and older:
            log.warning("the broker knows this table under epoch %d; this journal is %d", older, claim.epoch)
        return judge(claim, seen)
