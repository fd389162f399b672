"""Looks what the broker knows of a table before a unit claims to be it, without a word of its own.

The connection has a name of its own and no will, so a unit that lives is not disturbed. What is retained
comes after the subscription and before a mark that we send to ourselves. Where the status says ``online`` we
ask ``who``: a unit that lives answers, one that lost its power does not.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec

from controller.outbox.claim import Ack, Sighting
from controller.outbox.mqtt import Link
from controller.outbox.payloads import canonical_json
from controller.outbox.reports import Arrived, Connected, Report, Subscribed
from controller.outbox.status import Status, read_status
from controller.outbox.topics import Topics
from controller.vocabulary.errors import NOT_JSON

ANSWER_S = 2.0
"""So long a unit that lives may take to answer: its disk may be slow."""
RETAINED_S = 2.0
"""So long we wait for the mark, where the broker does not let us send it."""
EXPIRES_S = 60


class Scout:
    """One look. Feed it every report of its connection; ``done`` says when it has seen enough."""

    def __init__(
        self, topics: Topics, link: Link, epoch: int, boot: int, wall: Callable[[], datetime]
    ) -> None:
        self._topics = topics
        self._link = link
        self._ours = (epoch, boot)
        self._wall = wall
        self._mark = secrets.token_hex(8).encode()
        self._request_id = f"who-{secrets.token_hex(8)}"
        self._retained: dict[str, bytes] = {}
        self._gone = False
        self._answered = False
        self._limit_s: float | None = None
        self._asked = False

    def filters(self) -> Sequence[str]:
        """What to listen to."""
        topics = self._topics
        reply = topics.reply(self._request_id)
        return (topics.status, topics.ack("+"), topics.display, topics.result, reply, topics.doctor)

    def handle(self, report: Report, now_s: float) -> None:
        """Take in what came."""
        if isinstance(report, Connected):
            self._limit_s = now_s + RETAINED_S
            self._link.subscribe(self.filters())
        elif isinstance(report, Subscribed):
            self._link.publish(self._topics.doctor, self._mark, retain=False)
        elif isinstance(report, Arrived):
            self._arrived(report, now_s)

    def done(self, now_s: float) -> bool:
        """Whether all has been seen that will be; asks ``who`` where that is still to be done."""
        if self._limit_s is None or (not self._asked and now_s < self._limit_s):
            return False
        if not self._asked:
            self._ask(now_s)
        return self._answered or self._gone or self._limit_s <= now_s

    @property
    def limit_s(self) -> float | None:
        """When it is done at the latest; None before it is connected."""
        return self._limit_s

    @property
    def sighting(self) -> Sighting:
        """What was seen."""
        topics = self._topics
        acks = {}
        for topic, payload in self._retained.items():
            name, ack = topics.last_part("acks", topic), read_ack(payload)
            if name is not None and ack is not None:
                acks[name] = ack
        return Sighting(
            status=self._status,
            acks=acks,
            display=self._retained.get(topics.display),
            result=self._retained.get(topics.result),
            answered=self._answered,
        )

    @property
    def _status(self) -> Status | None:
        payload = self._retained.get(self._topics.status)
        return None if payload is None else read_status(payload)

    def _arrived(self, report: Arrived, now_s: float) -> None:
        if report.topic == self._topics.reply(self._request_id):
            self._answered = True
        elif report.topic == self._topics.doctor:
            if report.payload == self._mark and not self._asked:
                self._ask(now_s)
        elif report.payload:
            self._retained[report.topic] = report.payload
            status = self._status
            # The broker has just noticed that it is gone.
            self._gone |= self._asked and status is not None and status.state != "online"

    def _ask(self, now_s: float) -> None:
        """All that is retained has come: is the one that says ``online`` there?"""
        self._asked = True
        self._limit_s = now_s
        status = self._status
        if status is None or status.state != "online" or (status.epoch, status.boot) == self._ours:
            return
        self._limit_s = now_s + ANSWER_S
        epoch, boot = self._ours
        request = {
            "id": self._request_id,
            "expires": self._wall() + timedelta(seconds=EXPIRES_S),
            "epoch": epoch,
            "boot": boot,
        }
        self._link.publish(self._topics.command("who"), canonical_json(request), retain=False)


def read_ack(payload: bytes) -> Ack | None:
    """What stands in a retained acknowledgement, None where it is none."""
    try:
        return msgspec.json.decode(payload, type=Ack)
    except NOT_JSON:
        return None
