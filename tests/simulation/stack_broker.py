"""An MQTT 5 broker in memory, which does what a broker may: vanish, stall, forget, repeat.

Tables come to it over socket pairs, through paho and the program's own session; who only watches or settles
is attached without a wire (:meth:`Broker.attach`). It answers within the call that sends, so nobody waits.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

import paho.mqtt.client as paho

import controller.outbox.session
from controller.outbox.connector import Connector

CONNECT, CONNACK, PUBLISH, PUBACK = 1, 2, 3, 4
SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT = 8, 9, 10, 11, 12, 13, 14
NOBODY = 0x10
_CHUNK = 1 << 20
Hear = Callable[[str, bytes, bool], None]
"""Topic, payload, and whether it was retained."""


def fits(pattern: str, topic: str) -> bool:
    """Whether a filter takes a topic."""
    wanted, there = pattern.split("/"), topic.split("/")
    for place, level in enumerate(wanted):
        if level == "#":
            return True
        if place >= len(there) or level not in ("+", there[place]):
            return False
    return len(wanted) == len(there)


@dataclass(eq=False)
class Watcher:
    """Who is attached without a wire."""

    filters: tuple[str, ...]
    hear: Hear


@dataclass(eq=False)
class Link:
    """One connection over a wire."""

    broker: Broker
    end: socket.socket
    unread: bytes = b""
    five: bool = True
    name: str = ""
    will: tuple[str, bytes, bool] | None = None
    filters: list[str] = field(default_factory=list)
    next_id: int = 1

    def feed(self) -> None:
        """Take what the client has sent."""
        with contextlib.suppress(OSError):
            self.unread += self.end.recv(_CHUNK)
        while self in self.broker.links and not self.broker.stalled:
            packet = self._packet()
            if packet is None:
                return
            if self.broker.breaks():
                self.broker.end(self)
                return
            self._handle(*packet)

    def _packet(self) -> tuple[int, bytes] | None:
        """Head and body of the next whole packet."""
        size, place = 0, 1
        while True:
            if place >= len(self.unread):
                return None
            digit = self.unread[place]
            size |= (digit & 0x7F) << 7 * (place - 1)
            place += 1
            if not digit & 0x80:
                break
        if len(self.unread) < place + size:
            return None
        head, body = self.unread[0], self.unread[place : place + size]
        self.unread = self.unread[place + size :]
        return head, body

    def _handle(self, head: int, body: bytes) -> None:
        kind = head >> 4
        if kind == CONNECT:
            self._connect(body)
        elif kind == PUBLISH:
            self._publish(head, body)
        elif kind in (SUBSCRIBE, UNSUBSCRIBE):
            self._subscribe(kind, body)
        elif kind == PINGREQ:
            self.send(PINGRESP << 4, b"")
        elif kind == DISCONNECT:
            self.will = None
            self.broker.end(self)

    def _connect(self, body: bytes) -> None:
        self.five = body[6] == 5
        flags, at = body[7], 10
        at = _past_properties(body, at) if self.five else at
        name, at = _text(body, at)
        self.name = name.decode()
        if flags & 0x04:
            at = _past_properties(body, at) if self.five else at
            topic, at = _text(body, at)
            payload, at = _text(body, at)
            self.will = (topic.decode(), payload, bool(flags & 0x20))
        self.broker.welcome(self)
        self.send(CONNACK << 4, b"\0\0\0" if self.five else b"\0\0")

    def _publish(self, head: int, body: bytes) -> None:
        topic, at = _text(body, 0)
        number = body[at : at + 2] if head & 0x06 else b""
        at += len(number)
        at = _past_properties(body, at) if self.five else at
        name, payload = topic.decode(), body[at:]
        heard = self.broker.publish(name, payload, retain=bool(head & 1))
        if number and self in self.broker.links:
            reason = b"\0" if heard else bytes((NOBODY,))
            self.send(PUBACK << 4, number + (reason if self.five else b""))

    def _subscribe(self, kind: int, body: bytes) -> None:
        number, at = body[:2], 2
        at = _past_properties(body, at) if self.five else at
        new: list[str] = []
        while at < len(body):
            name, at = _text(body, at)
            at += kind == SUBSCRIBE
            new.append(name.decode())
        no_properties = b"\0" if self.five else b""
        if kind == UNSUBSCRIBE:
            self.filters = [one for one in self.filters if one not in new]
            self.send(UNSUBACK << 4, number + no_properties + (bytes(len(new)) if self.five else b""))
            return
        self.filters += new
        self.send(SUBACK << 4, number + no_properties + b"\1" * len(new))
        for topic, payload in list(self.broker.retained.items()):
            if any(fits(one, topic) for one in new):
                self.deliver(topic, payload, retained=True)

    def deliver(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """With QoS 1."""
        number, self.next_id = self.next_id, self.next_id % 0xFFFF + 1
        name = topic.encode()
        body = struct.pack("!H", len(name)) + name + struct.pack("!H", number)
        self.send(PUBLISH << 4 | 0x02 | retained, body + (b"\0" if self.five else b"") + payload)

    def send(self, head: int, body: bytes) -> None:
        """A packet to the client."""
        size, length = b"", len(body)
        while True:
            digit, length = length & 0x7F, length >> 7
            size += bytes((digit | 0x80 * bool(length),))
            if not length:
                break
        with contextlib.suppress(OSError):
            self.end.sendall(bytes((head,)) + size + body)


class Wire(socket.socket):
    """A client's end: what it sends is taken by the broker within the call, unless the machine dies there."""

    link: Link

    def send(self, data: Any, flags: int = 0) -> int:
        self.link.broker.sending(self.link)
        sent = super().send(data, flags)
        self.link.feed()
        return sent


class Broker:
    """The broker of a floor."""

    def __init__(self) -> None:
        self.up = True
        self.stalled = False
        self.retained: dict[str, bytes] = {}
        self.links: list[Link] = []
        self.watchers: list[Watcher] = []
        self.cuts_in: int | None = None
        """So many packets more, and the connection that sends the next one breaks before it is answered."""
        self.used: dict[str, Callable[[], None]] = {}
        """A table -> what is called before one of its clients sends."""

    # What the world does to it

    def vanish(self, *, forget: bool = False) -> None:
        """It dies; ``forget``: with all that was retained."""
        self.up = self.stalled = False
        for link in list(self.links):
            link.will = None
            self.end(link)
        if forget:
            self.retained.clear()

    def come_back(self) -> None:
        """It can be reached again."""
        self.up = True

    def stall(self) -> None:
        """It takes bytes and answers nothing."""
        self.stalled = True

    def go_on(self) -> None:
        """It answers what has waited."""
        self.stalled = False
        for link in list(self.links):
            link.feed()

    def cut(self) -> None:
        """Every connection breaks, as by a pulled cable; the wills are published."""
        for link in list(self.links):
            self.end(link)

    # For who has no wire

    def attach(self, filters: tuple[str, ...], hear: Hear) -> Watcher:
        """Hear these topics from now on, first what is retained."""
        watcher = Watcher(filters, hear)
        self.watchers.append(watcher)
        for topic, payload in list(self.retained.items()):
            if any(fits(one, topic) for one in filters):
                hear(topic, payload, True)
        return watcher

    def detach(self, watcher: Watcher) -> None:
        """Hear no more; nothing is kept for who is gone."""
        self.watchers.remove(watcher)

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """Hand on; whether anybody heard it."""
        if retain and payload:
            self.retained[topic] = payload
        elif retain:
            self.retained.pop(topic, None)
        heard = False
        for watcher in list(self.watchers):
            if any(fits(one, topic) for one in watcher.filters):
                watcher.hear(topic, payload, False)
                heard = True
        for link in list(self.links):
            if any(fits(one, topic) for one in link.filters):
                link.deliver(topic, payload, retained=False)
                heard = True
        return heard

    # For who has one

    def connected(self) -> Wire:
        """A new wire. OSError where nobody answers."""
        if not self.up:
            raise ConnectionRefusedError("nobody listens")
        near, far = socket.socketpair()
        far.setblocking(False)
        for end in (near, far):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _CHUNK)
        wire = Wire(fileno=near.detach())
        wire.link = Link(self, far)
        self.links.append(wire.link)
        return wire

    def breaks(self) -> bool:
        """Whether a connection breaks now."""
        if self.cuts_in is None:
            return False
        self.cuts_in -= 1
        if self.cuts_in >= 0:
            return False
        self.cuts_in = None
        return True

    def sending(self, link: Link) -> None:
        """A client is about to send: its machine may die here."""
        for table, used in self.used.items():
            if f"-{table}-" in f"{link.name}-":
                used()

    def welcome(self, link: Link) -> None:
        """Who comes under a name takes the place of who had it."""
        for other in [one for one in self.links if one.name == link.name and one is not link]:
            self.end(other)

    def end(self, link: Link) -> None:
        """A connection is over; its will is published."""
        self.links.remove(link)
        link.end.close()
        if link.will is not None:
            topic, payload, retain = link.will
            self.publish(topic, payload, retain=retain)

    def look(self) -> None:
        """Notice who has hung up."""
        for link in list(self.links):
            if link in self.links and _gone(link.end):
                self.end(link)

    @contextmanager
    def reached(self, let_pass: Callable[[float], None]) -> Iterator[None]:
        """Whoever reaches for a broker comes here, without a thread; who waits for it lets time pass."""
        broker = self

        class Plugged(Connector):
            def _begin(self) -> None:
                self._run()

            def _fresh_client(self) -> paho.Client:
                client = super()._fresh_client()
                client.on_socket_open = None
                client._create_socket = broker.connected  # type: ignore[method-assign]
                return client

        session = controller.outbox.session
        with (
            patch.object(session, "Connector", Plugged),
            patch.object(session.Session, "_wait", lambda _, wait_s: let_pass(wait_s)),
        ):
            yield


def _gone(end: socket.socket) -> bool:
    try:
        return not end.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True


def _text(body: bytes, at: int) -> tuple[bytes, int]:
    (size,) = struct.unpack_from("!H", body, at)
    return body[at + 2 : at + 2 + size], at + 2 + size


def _past_properties(body: bytes, at: int) -> int:
    size, shift = 0, 0
    while True:
        digit = body[at]
        size |= (digit & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not digit & 0x80:
            return at + size
