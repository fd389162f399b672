"""One connection with a broker, in which each step waits for its answer."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    Puback,
    Report,
    Subscribed,
    Unsubscribed,
)
from controller.outbox.session import Session
from controller.shell.doctor.outside import awaited, calling, first_of, named, reason_of

LEFT_S = 60
"""What is retained for a trial is forgotten after so long, should this program be killed in it (MQTT 5)."""
QUIET_S = 3600
"""A connection on which nothing is said for so long is kept."""


class Missing(Exception):
    """The broker does not give it; in words, what was seen instead."""


class NoConnection(Missing):
    """The broker does not let us in."""


class Unreachable(Exception):
    """The broker itself is gone, so that nobody knows what it gives; in words, how that was seen."""


class Client:
    """One connection in which each step waits for its answer; Missing where the broker gives none."""

    def __init__(self, session: Session, reports: Iterator[Report], answer: Connected) -> None:
        self.session, self.answer = session, answer
        self.arrived: list[Arrived] = []
        """All that came while an answer was waited for."""
        self._reports = reports
        self._ended: ConnectionLost | None = None

    def listen(self, *filters: str) -> int:
        """Subscribe with QoS 1; the QoS that is granted."""
        self.session.subscribe(filters)
        answer = self._first(Subscribed)
        if not isinstance(answer, Subscribed) or answer.denied:
            denied = answer.denied if isinstance(answer, Subscribed) else {filters[0]: reason_of(answer)}
            said = "; ".join(f"{topic}: {why}" for topic, why in denied.items())
            raise Missing(f"it does not let us listen to {said}")
        return answer.qos

    def say(self, topic: str, payload: bytes) -> None:
        """Publish."""
        self.session.publish(topic, payload)
        self._taken()

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish, retained; nothing: delete what is."""
        self.session.publish(topic, payload, retain=True, expires_s=LEFT_S if payload else 0)
        self._taken()

    def heard(self, payload: bytes) -> Arrived | None:
        """The message with this payload, of any topic; None: it does not come."""
        while not (found := [one for one in self.arrived if one.payload == payload]):
            if not isinstance(self._first(Arrived), Arrived):
                return None
        return found[0]

    def answers(self, topic: str) -> None:
        """Ask for a sign of life, for which no right is needed: nobody listens to the topic. Unreachable if
        none comes, or if the connection has ended meanwhile."""
        self.session.unsubscribe(topic)
        answer = self._first(Unsubscribed)
        if not isinstance(answer, Unsubscribed):
            raise Unreachable(reason_of(answer))

    def next(self, *kinds: type[Report]) -> Report | None:
        """The next report of one of these kinds, or of the connection's end; None: neither comes in time."""
        if self._ended is not None:
            return self._ended
        report = first_of(self._reports, (*kinds, ConnectionLost))
        if report is None:
            self._reports = awaited(self.session)
        elif isinstance(report, ConnectionLost):
            self._ended = report
        return report

    def _taken(self) -> None:
        answer = self._first(Puback)
        if not isinstance(answer, Puback):
            raise Missing(f"a message was not answered: {reason_of(answer)}")
        if answer.denied is not None:
            raise Missing(f"a message was refused: {answer.denied}")

    def _first(self, kind: type[Report]) -> Report | None:
        """The next report of this kind, or of the end; what arrives before it is kept."""
        while True:
            report = self.next(kind, Arrived)
            if isinstance(report, Arrived):
                self.arrived.append(report)
            if report is None or isinstance(report, kind | ConnectionLost):
                return report


@contextmanager
def client(
    broker: BrokerSettings, *, will: Will | None = None, keeps_s: int = 0, also_named: str = ""
) -> Iterator[Client]:
    """A connection; at its end it is cut off. NoConnection where the broker does not let us in."""
    call = calling(broker, also_named or named("doctor"), will, keeps_s)
    with call as (session, reports, answer):
        if not isinstance(answer, Connected):
            raise NoConnection(f"no connection: {reason_of(answer)}")
        yield Client(session, reports, answer)


@contextmanager
def admitted(broker: BrokerSettings) -> Iterator[Client]:
    """A connection on which nothing need be said; Unreachable where the broker does not let us in."""
    try:
        with client(msgspec.structs.replace(broker, keepalive_s=QUIET_S)) as one:
            yield one
    except Missing as missing:
        raise Unreachable(f"{broker.where}: {missing}") from missing


@contextmanager
def left_clean(one: Client, topic: str) -> Iterator[None]:
    """Whatever is retained there is deleted in the end."""
    try:
        yield
    finally:
        with suppress(Missing):
            one.retain(topic, b"")


def mark() -> bytes:
    """A payload that nothing else has."""
    return secrets.token_hex(8).encode()
