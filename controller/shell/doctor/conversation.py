"""One connection with a broker, in which each step waits for its answer."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from controller.outbox.attempts import Protocol
from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.reports import Arrived, Connected, ConnectionLost, Puback, Report, Subscribed
from controller.outbox.session import Session
from controller.shell.doctor.outside import calling, first_of, named, reason_of


class Missing(Exception):
    """The broker does not give it; in words, what was seen instead."""


class Client:
    """One connection in which each step waits for its answer; Missing where the broker gives none."""

    def __init__(self, session: Session, reports: Iterator[Report], answer: Connected) -> None:
        self.session, self.reports, self.answer = session, reports, answer
        self.arrived: list[Arrived] = []
        """All that came while an answer was waited for."""

    def listen(self, *filters: str) -> int:
        """Subscribe with QoS 1; the QoS that is granted."""
        self.session.subscribe(filters)
        answer = self._first(Subscribed)
        if not isinstance(answer, Subscribed) or answer.denied:
            denied = answer.denied if isinstance(answer, Subscribed) else {filters[0]: reason_of(answer)}
            said = "; ".join(f"{topic}: {why}" for topic, why in denied.items())
            raise Missing(f"it does not let us listen to {said}")
        return answer.qos

    def say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish."""
        self.session.publish(topic, payload, retain=retain)
        answer = self._first(Puback)
        if not isinstance(answer, Puback):
            raise Missing(f"a message was not answered: {reason_of(answer)}")
        if answer.denied is not None:
            raise Missing(f"a message was refused: {answer.denied}")

    def heard(self, payload: bytes) -> Arrived | None:
        """The message with this payload, of any topic; None: it does not come."""
        while not (found := [one for one in self.arrived if one.payload == payload]):
            if not isinstance(self._first(Arrived), Arrived):
                return None
        return found[0]

    def _first(self, kind: type[Report]) -> Report | None:
        """The next report of this kind, or of the end; what arrives before it is kept."""
        while True:
            report = first_of(self.reports, (kind, Arrived, ConnectionLost))
            if isinstance(report, Arrived):
                self.arrived.append(report)
            if report is None or isinstance(report, kind | ConnectionLost):
                return report


class Peer(msgspec.Struct, frozen=True):
    """A broker, and the version of MQTT that it was found to speak."""

    settings: BrokerSettings
    protocol: Protocol


@contextmanager
def client(
    peer: Peer, *, will: Will | None = None, keeps_s: int = 0, also_named: str = ""
) -> Iterator[Client]:
    """A connection; at its end it is cut off. Missing where the broker does not let us in."""
    call = calling(peer.settings, also_named or named("doctor"), peer.protocol, will, keeps_s)
    with call as (session, reports, answer):
        if not isinstance(answer, Connected):
            raise Missing(f"no connection: {reason_of(answer)}")
        yield Client(session, reports, answer)


@contextmanager
def left_clean(peer: Peer, topic: str) -> Iterator[None]:
    """Whatever is retained there is deleted in the end."""
    try:
        yield
    finally:
        with suppress(Missing), client(peer) as last:
            last.say(topic, b"", retain=True)


def mark() -> bytes:
    """A payload that nothing else has."""
    return secrets.token_hex(8).encode()
