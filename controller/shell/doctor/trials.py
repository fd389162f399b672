"""What is tried at a broker. Each trial has connections and topics of the doctor's own, which no table and no
consumer reads, and takes back what it left there.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise

import msgspec

from controller.outbox.broker import Will
from controller.outbox.reports import Arrived, ConnectionLost, Puback
from controller.shell.doctor.conversation import Client, Missing, Peer, client, left_clean, mark
from controller.shell.doctor.outside import first_of, named

MESSAGES = 200
ROUND_TRIPS = 20
SLOW_MS = 100.0
KEPT_S = 60
"""So long the broker is asked to keep a session that is tried."""
HEADERS_BYTES = 512
"""Of a packet, at most: the topic, and what MQTT adds."""


class Ground(msgspec.Struct, frozen=True):
    """Where it is tried."""

    peer: Peer
    own: str
    """Below this topic nobody but this run of the doctor writes."""
    filters: tuple[str, ...]
    """What the table listens to."""
    first: Peer | None = None
    """Of several brokers, the one that is tried first."""

    def topic(self, name: str) -> str:
        """One of the doctor's own."""
        return f"{self.own}/{name}"


def own_topics(ground: Ground) -> str:
    """Whether we may use what the other trials use."""
    topic, said = ground.topic("try"), mark()
    with client(ground.peer) as one:
        one.listen(topic)
        one.say(topic, said)
        if one.heard(said) is None:
            raise Missing(f"what is said on {topic} does not come back")
    return f"may use {ground.own}/#"


def protocol(ground: Ground) -> str:
    """Which MQTT it speaks, and how much of it at once."""
    with client(ground.peer) as one:
        seen = f"MQTT {one.answer.protocol}, {one.answer.window} messages unanswered at most"
        if one.answer.protocol != "5":
            raise Missing(seen)
    return seen


def rights(ground: Ground) -> str:
    """Whether the table may listen to what it listens to; a running one is not disturbed by that."""
    with client(ground.peer) as one:
        one.listen(*ground.filters)
    return f"grants all {len(ground.filters)} subscriptions of the table; mosquitto grants any"


def admission(ground: Ground) -> str:
    """Whether it takes a connection like the table's, with a will that is retained."""
    with client(ground.peer, will=Will(ground.topic("will"), mark())) as one:
        one.session.leave()
    return "lets a connection in that has a will, retained, with QoS 1"


def order(ground: Ground) -> str:
    """Whether all messages come, in the order in which they were sent."""
    topic = ground.topic("order")
    with client(ground.peer) as one:
        if one.listen(topic) == 0:
            raise Missing("it grants QoS 0 where QoS 1 was asked for")
        came = _sent_to_self(one, topic)
    return whole(came)


def whole(came: Sequence[int]) -> str:
    """Whether these are the numbers of all messages, in order."""
    late = sum(before > after for before, after in pairwise(came))
    if late or len(came) < MESSAGES:
        raise Missing(f"of {MESSAGES} messages {len(came)} came, {late} of them late")
    return f"{MESSAGES} messages came, all of them and in order"


def _sent_to_self(one: Client, topic: str) -> list[int]:
    """Numbers in the order in which they came first, while the window is kept full."""
    came: list[int] = []
    sent = answered = 0
    while answered < MESSAGES or len(came) < MESSAGES:
        while sent < MESSAGES and sent - answered < one.answer.window:
            one.session.publish(topic, b"%d" % sent)
            sent += 1
        report = first_of(one.reports, (Arrived, Puback, ConnectionLost))
        if isinstance(report, ConnectionLost):
            raise Missing(f"the connection ended at message {answered + 1}: {report.reason}")
        if report is None:
            break
        if isinstance(report, Puback):
            if report.denied is not None:
                raise Missing(f"message {answered + 1} was refused: {report.denied}")
            answered += 1
        elif isinstance(report, Arrived) and (number := int(report.payload)) not in came:
            came.append(number)
    return came


def message_of(packet_bytes: int) -> Callable[[Ground], str]:
    """Whether a packet of this size comes through."""

    def trial(ground: Ground) -> str:
        topic, said = ground.topic("large"), mark()
        said += b" " * (packet_bytes - HEADERS_BYTES - len(said))
        with client(ground.peer) as one:
            one.listen(topic)
            one.say(topic, said)
            if one.heard(said) is None:
                raise Missing(f"one of {packet_bytes >> 10} KiB does not come through")
        return f"one of {packet_bytes >> 10} KiB comes through"

    return trial


def retained(ground: Ground) -> str:
    """Whether the last message of a topic is given to who asks for it by name, and can be deleted."""
    topic, end = ground.topic("retained"), ground.topic("try")
    said, after = mark(), mark()
    with left_clean(ground.peer, topic), client(ground.peer) as one:
        one.say(topic, said, retain=True)
        _given(ground.peer, topic, said)
        one.say(topic, b"", retain=True)
        with client(ground.peer) as late:
            late.listen(topic, end)
            late.say(end, after)
            late.heard(after)
            if any(gone.payload == said for gone in late.arrived):
                raise Missing("what was deleted is given all the same")
    return "given to who asks for the topic, until it is deleted"


def wildcard(ground: Ground) -> str:
    """Whether the last messages of many topics are given to who asks for them with a wildcard."""
    topic, said = ground.topic("wildcard"), mark()
    with left_clean(ground.peer, topic), client(ground.peer) as one:
        one.say(topic, said, retain=True)
        _given(ground.peer, ground.topic("+"), said)
    return "given to who asks with a wildcard, too"


def _given(peer: Peer, filter_: str, said: bytes) -> None:
    with client(peer) as late:
        late.listen(filter_)
        given = late.heard(said)
    if given is None:
        raise Missing(f"nothing is given to who asks for {filter_}")
    if not given.retained:
        raise Missing("it is given without saying that it was retained")


def will(ground: Ground) -> str:
    """Whether it speaks, and at once, for who is cut off."""
    topic, said = ground.topic("will"), mark()
    with left_clean(ground.peer, topic), client(ground.peer) as one:
        one.listen(topic)
        with client(ground.peer, will=Will(topic, said)):
            pass
        began_s = time.monotonic()
        if one.heard(said) is None:
            raise Missing("nothing was said for a connection that was cut off")
        return f"said {(time.monotonic() - began_s) * 1000:.0f} ms after a connection was cut off"


def session(ground: Ground) -> str:
    """Whether it keeps what comes for who is away for a moment."""
    topic, said, name = ground.topic("session"), mark(), named("doctor")
    try:
        with client(ground.peer, keeps_s=KEPT_S, also_named=name) as one:
            one.listen(topic)
        with client(ground.peer) as other:
            other.say(topic, said)
        with client(ground.peer, keeps_s=KEPT_S, also_named=name) as one:
            if one.heard(said) is None:
                raise Missing("what was said meanwhile is not given to who comes back")
    finally:
        with suppress(Missing), client(ground.peer, also_named=name):
            pass  # a connection that asks for nothing to be kept ends the session of that name
    return "what was said meanwhile is given to who comes back"


def dots(ground: Ground) -> str:
    """Whether a dot in a level stays one."""
    topic, said = ground.topic("a.b"), mark()
    with client(ground.peer) as one:
        one.listen(topic)
        one.say(topic, said)
        came = one.heard(said)
    if came is None or came.topic != topic:
        raise Missing(f"{topic} arrives {'nowhere' if came is None else f'as {came.topic}'}")
    return "a dot stays a dot"


def latency(ground: Ground) -> str:
    """How long a message takes to come back."""
    topic, took_ms = ground.topic("latency"), []
    with client(ground.peer) as one:
        one.listen(topic)
        for _ in range(ROUND_TRIPS):
            said, began_s = mark(), time.monotonic()
            one.session.publish(topic, said)
            if one.heard(said) is None:
                raise Missing("a message does not come back")
            took_ms.append((time.monotonic() - began_s) * 1000)
    usual_ms = statistics.median(took_ms)
    seen = f"{usual_ms:.1f} ms to come back, {max(took_ms):.1f} ms at most ({ROUND_TRIPS} tries)"
    if usual_ms > SLOW_MS:
        raise Missing(seen)
    return seen


def same_stream(ground: Ground) -> str:
    """Whether it tells what is said at the first of several."""
    topic, said = ground.topic("try"), mark()
    with client(ground.peer) as here, client(ground.first or ground.peer) as there:
        here.listen(topic)
        there.say(topic, said)
        if here.heard(said) is None:
            raise Missing("what is said at the first is not heard here")
    return "what is said at the first is heard here"


def same_retained(ground: Ground) -> str:
    """Whether it gives what is retained at the first of several."""
    topic, said, first = ground.topic("retained"), mark(), ground.first or ground.peer
    with left_clean(first, topic), client(first) as there:
        there.say(topic, said, retain=True)
        _given(ground.peer, topic, said)
    return "what is retained at the first is given here"
