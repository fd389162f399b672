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

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.reports import Arrived, ConnectionLost, Puback
from controller.shell.doctor import outside
from controller.shell.doctor.conversation import (
    LEFT_S,
    Client,
    Missing,
    NoConnection,
    Unreachable,
    client,
    left_clean,
    mark,
)
from controller.shell.doctor.outside import named

MESSAGES = 200
ROUND_TRIPS = 20
SLOW_MS = 100.0
KEPT_S = 60
"""So long the broker is asked to keep a session that is tried."""
HEADERS_BYTES = 512
"""Of a packet, at most: the topic, and what MQTT adds."""
TAKEN_OVER = "taken over"
"""What a broker of MQTT 5 says to who is put off by another connection of its name."""


class Ground(msgspec.Struct, frozen=True):
    """Where it is tried."""

    broker: BrokerSettings
    """With the version of MQTT that it was found to speak."""
    own: str
    """Below this topic nobody but this run of the doctor writes."""
    filters: tuple[str, ...]
    """What the table listens to."""
    first: BrokerSettings | None = None
    """Of several brokers, the one that is tried first."""

    def topic(self, name: str) -> str:
        """One of the doctor's own."""
        return f"{self.own}/{name}"


def protocol(ground: Ground) -> str:
    """Which MQTT it speaks, and how much of it at once."""
    with client(ground.broker) as one:
        seen = f"MQTT {one.answer.protocol}, at most {one.answer.window} messages unanswered"
        if one.answer.protocol != "5":
            raise Missing(seen)
    return seen


def admission(ground: Ground) -> str:
    """Whether it takes a connection like the table's, with a will that is retained."""
    with client(ground.broker, will=Will(ground.topic("will"), mark(), LEFT_S)) as one:
        one.session.leave()
    return "accepts a connection with a retained will and QoS 1"


def names(ground: Ground) -> str:
    """Whether a second connection of the same user leaves the first one alone."""
    with client(ground.broker) as one, client(ground.broker) as other:
        try:
            one.answers(ground.topic("try"))
        except Unreachable as gone:
            if TAKEN_OVER not in str(gone).lower():
                other.answers(ground.topic("try"))
            raise Missing(f"a second connection of the same user ends the first: {gone}") from gone
    return "two connections of one user leave each other alone"


def own_topics(ground: Ground) -> str:
    """Whether we may use what the other trials use."""
    topic, said = ground.topic("try"), mark()
    with client(ground.broker) as one:
        one.listen(topic)
        one.say(topic, said)
        if one.heard(said) is None:
            raise Missing(f"a message on {topic} does not come back")
    return f"may use {ground.own}/#"


def rights(ground: Ground) -> str:
    """Whether the table may listen to what it listens to; a running one is not disturbed by that."""
    with client(ground.broker) as one:
        one.listen(*ground.filters)
    return f"grants all {len(ground.filters)} subscriptions of the table (mosquitto grants any)"


def order(ground: Ground) -> str:
    """Whether all messages come, in the order in which they were sent."""
    topic = ground.topic("order")
    with client(ground.broker) as one:
        if one.listen(topic) == 0:
            raise Missing("it grants QoS 0 where QoS 1 was asked for")
        came = _sent_to_self(one, topic)
    return whole(came)


def whole(came: Sequence[int]) -> str:
    """Whether these are the numbers of all messages, in order."""
    late = sum(before > after for before, after in pairwise(came))
    if late or len(came) < MESSAGES:
        raise Missing(f"{len(came)} of {MESSAGES} messages arrived, {late} of them out of order")
    return f"{MESSAGES} messages arrived, all of them in order"


def _sent_to_self(one: Client, topic: str) -> list[int]:
    """Numbers in the order in which they came first, while the window is kept full. What somebody else writes
    there is not counted."""
    said = mark()
    numbers = {b"%s %d" % (said, number): number for number in range(MESSAGES)}
    bodies, came = [*numbers], dict[int, None]()
    sent = answered = 0
    while answered < MESSAGES or len(came) < MESSAGES:
        while sent < MESSAGES and sent - answered < one.answer.window:
            one.session.publish(topic, bodies[sent])
            sent += 1
        report = one.next(Arrived, Puback)
        if isinstance(report, ConnectionLost):
            raise Missing(f"the connection ended at message {answered + 1}: {report.reason}")
        if report is None:
            break
        if isinstance(report, Puback):
            if report.denied is not None:
                raise Missing(f"message {answered + 1} was refused: {report.denied}")
            answered += 1
        elif isinstance(report, Arrived) and report.payload in numbers:
            came[numbers[report.payload]] = None
    return [*came]


def message_of(packet_bytes: int) -> Callable[[Ground], str]:
    """Whether a packet of this size comes through."""

    def trial(ground: Ground) -> str:
        topic, said = ground.topic("large"), mark()
        said += b" " * (packet_bytes - HEADERS_BYTES - len(said))
        with client(ground.broker) as one:
            one.listen(topic)
            one.say(topic, said)
            if one.heard(said) is None:
                raise Missing(f"a message of {packet_bytes >> 10} KiB does not arrive")
        return f"a message of {packet_bytes >> 10} KiB arrives"

    return trial


def retained(ground: Ground) -> str:
    """Whether the last message of a topic is given to who asks for it by name, and can be deleted."""
    topic, said = ground.topic("retained"), mark()
    with client(ground.broker) as one, left_clean(one, topic):
        one.retain(topic, said)
        _in_time(lambda: _given(ground.broker, topic, said))
        one.retain(topic, b"")
        _in_time(lambda: _deleted(ground, topic, said))
    return "given to who subscribes to the topic, until it is deleted"


def wildcard(ground: Ground) -> str:
    """Whether the last messages of many topics are given to who asks for them with a wildcard."""
    topic, said = ground.topic("wildcard"), mark()
    with client(ground.broker) as one, left_clean(one, topic):
        one.retain(topic, said)
        _in_time(lambda: _given(ground.broker, ground.topic("+"), said))
    return "given to who subscribes with a wildcard, too"


def _in_time(looked: Callable[[], None]) -> None:
    """Look until it is so: what a broker has answered for may need a moment more, above all at another."""
    ends_s = time.monotonic() + outside.PATIENCE_S
    while True:
        try:
            looked()
        except NoConnection:
            raise
        except Missing:
            if time.monotonic() >= ends_s:
                raise
        else:
            return


def _given(broker: BrokerSettings, filter_: str, said: bytes) -> None:
    with client(broker) as late:
        late.listen(filter_)
        given = late.heard(said)
    if given is None:
        raise Missing(f"who subscribes to {filter_} gets nothing")
    if not given.retained:
        raise Missing("it is given without the mark of a retained message")


def _deleted(ground: Ground, topic: str, said: bytes) -> None:
    end, after = ground.topic("try"), mark()
    with client(ground.broker) as late:
        late.listen(topic, end)
        late.say(end, after)
        late.heard(after)
        if any(gone.payload == said for gone in late.arrived):
            raise Missing("what was deleted is still given")


def will(ground: Ground) -> str:
    """Whether it speaks, and at once, for who is cut off."""
    topic, said = ground.topic("will"), mark()
    with client(ground.broker) as one, left_clean(one, topic):
        one.listen(topic)
        with client(ground.broker, will=Will(topic, said, LEFT_S)):
            pass
        began_s = time.monotonic()
        if one.heard(said) is None:
            raise Missing("no will was published for a connection that was cut off")
        return f"published {(time.monotonic() - began_s) * 1000:.0f} ms after a connection was cut off"


def session(ground: Ground) -> str:
    """Whether it keeps what comes for who is away for a moment."""
    topic, said, name = ground.topic("session"), mark(), named("doctor")
    try:
        with client(ground.broker, keeps_s=KEPT_S, also_named=name) as one:
            one.listen(topic)
        with client(ground.broker) as other:
            other.say(topic, said)
        with client(ground.broker, keeps_s=KEPT_S, also_named=name) as one:
            if one.heard(said) is None:
                raise Missing("what was said meanwhile is not given to who comes back")
    finally:
        with suppress(Missing), client(ground.broker, also_named=name):
            pass  # a connection that asks for nothing to be kept ends the session of that name
    return "what was said meanwhile is given to who comes back"


def dots(ground: Ground) -> str:
    """Whether a dot in a level stays one."""
    topic, said = ground.topic("a.b"), mark()
    with client(ground.broker) as one:
        one.listen(topic)
        one.say(topic, said)
        came = one.heard(said)
    if came is None:
        raise Missing(f"a message on {topic} does not arrive")
    if came.topic != topic:
        raise Missing(f"a message on {topic} arrives on {came.topic}")
    return "a dot stays a dot"


def latency(ground: Ground) -> str:
    """How long a message takes to come back."""
    topic, took_ms = ground.topic("latency"), []
    with client(ground.broker) as one:
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
    with client(ground.broker) as here, client(ground.first or ground.broker) as there:
        here.listen(topic)
        there.say(topic, said)
        if here.heard(said) is None:
            raise Missing("what is published at the first broker is not heard here")
    return "what is published at the first broker is heard here"


def same_retained(ground: Ground) -> str:
    """Whether it gives what is retained at the first of several."""
    topic, said = ground.topic("retained"), mark()
    with client(ground.first or ground.broker) as there, left_clean(there, topic):
        there.retain(topic, said)
        _in_time(lambda: _given(ground.broker, topic, said))
    return "what is retained at the first broker is given here"
