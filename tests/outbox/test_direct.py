"""The client that writes in the caller's thread: in order, whole, and over when the connection is."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from controller.outbox import direct
from controller.outbox.direct import LOOK_MS, TOGETHER, DirectClient
from tests.broker import Broker

PATIENCE_S = 60.0


class Speaking:
    """A direct client at work in a thread of its own, and what it heard."""

    def __init__(self, broker: Broker, protocol: MQTTProtocolVersion = MQTTProtocolVersion.MQTTv5) -> None:
        self.guard = threading.Condition()
        self.connected = threading.Event()
        self.heard: list[bytes] = []
        self.answered: list[tuple[int, int]] = []
        self.ends = 0
        self.client = DirectClient(CallbackAPIVersion.VERSION2, protocol=protocol, reconnect_on_failure=False)
        self.client.max_inflight_messages = 0
        self.client.on_connect = lambda client, *_: client.subscribe("said", 1)
        self.client.on_subscribe = lambda *_: self.connected.set()
        self.client.on_message = self._message
        self.client.on_disconnect = self._ended
        self.client.on_answered = self._answered
        self.client.connect(broker.host, broker.port)
        self.thread = threading.Thread(target=self.client.serve)
        self.thread.start()
        assert self.connected.wait(PATIENCE_S)

    def _message(self, _client: object, _userdata: object, message: paho.MQTTMessage) -> None:
        with self.guard:
            self.heard.append(message.payload)
            self.guard.notify_all()

    def _answered(self, answers: list[tuple[int, int]]) -> None:
        with self.guard:
            self.answered += answers
            self.guard.notify_all()

    def wait_answered(self, number: int) -> list[tuple[int, int]]:
        """The broker has answered for so many messages."""
        with self.guard:
            assert self.guard.wait_for(lambda: len(self.answered) >= number, PATIENCE_S)
            return list(self.answered)

    def _ended(self, *_: Any) -> None:
        self.ends += 1

    def wait_heard(self, number: int) -> list[bytes]:
        """So many of what was said came back."""
        with self.guard:
            assert self.guard.wait_for(lambda: len(self.heard) >= number, PATIENCE_S)
            return list(self.heard)


@pytest.fixture(params=[MQTTProtocolVersion.MQTTv5, MQTTProtocolVersion.MQTTv311])
def speaking(broker: Broker, request: pytest.FixtureRequest) -> Iterator[Speaking]:
    made = Speaking(broker, request.param)
    yield made
    made.client.disconnect()
    made.thread.join(PATIENCE_S)
    assert not made.thread.is_alive()


def test_two_threads_that_write_do_not_overtake_each_other(speaking: Speaking) -> None:
    client = speaking.client
    send, begun, second = client._sock_send, threading.Event(), threading.Event()

    def slow(packet: bytes) -> int:
        if b"first" in packet:
            begun.set()
            second.wait(0.3)  # in vain, where nobody else may write
        sent: int = send(packet)
        if b"second" in packet:
            second.set()
        return sent

    client._sock_send = slow  # type: ignore[method-assign]
    other = threading.Thread(target=lambda: client.publish("said", b"first", qos=1))
    other.start()
    assert begun.wait(PATIENCE_S)
    client.say("said", b"second", retain=False)  # not ``publish``: paho itself lets one at a time into that
    other.join()
    assert speaking.wait_heard(2) == [b"first", b"second"]


def test_what_the_socket_does_not_take_is_sent_when_it_does(speaking: Speaking, broker: Broker) -> None:
    bodies = [b"%05d" % number * 4000 for number in range(400)]
    broker.freeze()
    try:
        for body in bodies:
            speaking.client.publish("said", body, qos=1)
        assert speaking.client.want_write()
    finally:
        broker.thaw()
    assert speaking.wait_heard(len(bodies)) == bodies


def test_a_broker_that_dies_ends_it(speaking: Speaking, broker: Broker) -> None:
    broker.kill()
    speaking.thread.join(PATIENCE_S)
    assert not speaking.thread.is_alive()
    assert speaking.ends >= 1  # who writes and who reads may both see it
    assert speaking.client.publish("said", b"nobody", qos=1).rc != paho.MQTT_ERR_SUCCESS


def test_leaving_does_not_wait_for_the_next_look(speaking: Speaking) -> None:
    speaking.client.publish("said", b"bye", qos=1)
    speaking.wait_heard(1)
    speaking.client.disconnect()
    speaking.thread.join(LOOK_MS / 1000 * 30)
    assert not speaking.thread.is_alive()
    assert speaking.ends >= 1  # who writes and who reads may both see it


def test_what_is_said_together_comes_whole_in_order_and_is_answered(speaking: Speaking) -> None:
    bodies = [b"%d" % number * (number * 40) for number in range(1, 2 * TOGETHER + 4)]
    with speaking.client.together():
        mids = [speaking.client.say("said", body, retain=False) for body in bodies]
    assert speaking.wait_heard(len(bodies)) == bodies
    assert speaking.wait_answered(len(bodies)) == [(mid, 0) for mid in mids]


def test_what_is_said_alone_leaves_at_once_and_may_be_retained(speaking: Speaking, broker: Broker) -> None:
    mid = speaking.client.say("said", "Grün".encode(), retain=True)
    assert speaking.wait_heard(1) == ["Grün".encode()]
    assert speaking.wait_answered(1) == [(mid, 0)]
    later = Speaking(broker)
    assert later.wait_heard(1) == ["Grün".encode()]
    later.client.disconnect()
    later.thread.join(PATIENCE_S)


def test_the_broker_says_that_nobody_listens(broker: Broker) -> None:
    speaking = Speaking(broker)
    mid = speaking.client.say("to nobody", b"", retain=False)
    assert speaking.wait_answered(1) == [(mid, 0x10)]
    speaking.client.disconnect()
    speaking.thread.join(PATIENCE_S)


def test_what_is_said_together_leaves_at_the_end_as_one_piece(speaking: Speaking) -> None:
    client, pieces = speaking.client, list[bytes]()
    send = client._sock_send
    client._sock_send = lambda piece: (pieces.append(bytes(piece)), send(piece))[1]  # type: ignore[method-assign]
    with client.together():
        client.say("said", b"first", retain=False)
        client.publish("said", b"between", qos=1)  # paho's own go on as ever
        client.say("said", b"second", retain=False)
        client.ring()  # the reading thread looks what there is to do
        assert not any(b"first" in piece for piece in pieces)
    assert speaking.wait_heard(3) == [b"between", b"first", b"second"]
    assert [b"second" in piece for piece in pieces if b"first" in piece] == [True]


def test_of_what_is_said_together_the_rest_that_the_socket_does_not_take_follows(
    speaking: Speaking, broker: Broker
) -> None:
    bodies = [b"%05d" % number * 4000 for number in range(400)]
    broker.freeze()
    try:
        with speaking.client.together():
            for body in bodies:
                speaking.client.say("said", body, retain=False)
        assert speaking.client.want_write()
    finally:
        broker.thaw()
    assert speaking.wait_heard(len(bodies)) == bodies


def test_the_rest_of_a_message_does_not_wait_for_the_next_look(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(direct, "LOOK_MS", 10 * 60 * 1000)
    speaking = Speaking(broker)
    body = bytes(32 << 20)  # more than any socket takes, and nothing is answered before it is whole
    broker.freeze()
    try:
        speaking.client.say("said", body, retain=False)
    finally:
        broker.thaw()
    assert speaking.wait_heard(1) == [body]
    speaking.client.disconnect()
    speaking.thread.join(PATIENCE_S)


def test_nothing_is_said_where_the_connection_has_ended(speaking: Speaking, broker: Broker) -> None:
    broker.kill()
    speaking.thread.join(PATIENCE_S)
    with speaking.client.together():
        assert speaking.client.say("said", b"nobody", retain=False) is None
    assert not speaking.thread.is_alive()


def test_an_acknowledgement_of_what_paho_published_reaches_paho(speaking: Speaking) -> None:
    told = speaking.client.publish("said", b"bye", qos=1)
    told.wait_for_publish(PATIENCE_S)
    assert told.is_published()
    assert speaking.answered == []


def test_a_message_that_was_cut_off_goes_on_before_what_another_thread_brings(speaking: Speaking) -> None:
    client = speaking.client
    send, bodies = client._sock_send, [b"first" * 1000, b"between"]
    others: list[threading.Thread] = []

    def half(piece: bytes) -> int:
        if others:
            return send(piece)
        others.append(threading.Thread(target=lambda: client.publish("said", bodies[1], qos=1)))
        others[0].start()
        while not client.want_write():  # what it brought waits, for we are writing
            pass
        return send(piece[: len(piece) // 2])

    client._sock_send = half  # type: ignore[method-assign]
    client.say("said", bodies[0], retain=False)
    assert speaking.wait_heard(2) == bodies
    others[0].join()


UNANSWERED = {1, 2, 258}


@pytest.mark.parametrize(
    ("read", "answers", "left"),
    [
        (b"\x40\x02\x00\x01", [(1, 0)], b""),
        (b"\x40\x02\x00\x01\x40\x02\x01\x02", [(1, 0), (258, 0)], b""),
        (b"\x40\x03\x00\x02\x10\x40\x02\x00\x01", [(2, 0x10), (1, 0)], b""),
        (b"\x40\x04\x00\x02\x87\x00", [(2, 0x87)], b""),
        (b"\x40\x07\x00\x02\x97\x03\x1f\x00\x00\x40\x02\x00\x01", [(2, 0x97), (1, 0)], b""),
        (b"\x40\x02\x00\x01\xd0\x00", [(1, 0)], b"\xd0\x00"),
        (b"\xd0\x00\x40\x02\x00\x01", [], b"\xd0\x00\x40\x02\x00\x01"),
        (b"\x40\x02\x00\x03", [], b"\x40\x02\x00\x03"),
        (b"\x40\x02\x00\x01\x40\x02\x00\x01", [(1, 0)], b"\x40\x02\x00\x01"),
        (b"\x40", [], b"\x40"),
        (b"\x40\x02\x00", [], b"\x40\x02\x00"),
        (b"\x40\x03\x00\x01", [], b"\x40\x03\x00\x01"),
        (b"\x40\x00\x00\x01", [], b"\x40\x00\x00\x01"),
        (b"\x40\x80\x01" + bytes(140), [], b"\x40\x80\x01" + bytes(140)),
        (b"", [], b""),
    ],
)
def test_answers_are_taken_off_what_was_read_and_all_else_is_left_to_paho(
    read: bytes, answers: list[tuple[int, int]], left: bytes
) -> None:
    """[MQTT 5, 3.4] PUBACK; a cut one, one that nobody waits for and other packets stay where they are."""
    client, told = DirectClient(CallbackAPIVersion.VERSION2), list[tuple[int, int]]()
    client.on_answered = told.extend
    client._unanswered = set(UNANSWERED)
    client._read = read
    assert client._take_answers() is bool(answers)
    assert told == answers
    assert client._read[client._taken :] == left
    assert client._unanswered == UNANSWERED - {mid for mid, _ in answers}


def test_what_belongs_to_a_packet_that_paho_has_begun_to_read_is_no_answer() -> None:
    """The rest of a payload may look like one."""
    client = DirectClient(CallbackAPIVersion.VERSION2)
    client._unanswered, client._read = {1}, b"\x40\x02\x00\x01"
    client._in_packet["command"] = 0x30
    assert not client._take_answers()
    client._in_packet["command"] = 0
    assert client._take_answers()


LONG = b"\x40\xc8\x01\x00\x02\x87\xc3\x01\x1f\x00\xc0" + b"n" * 192
"""Not authorized, and why: longer than one byte can say."""
CUT = [
    (answer, at, told)
    for answer, told in (
        (b"\x40\x02\x00\x02", (2, 0)),
        (b"\x40\x03\x00\x02\x10", (2, 0x10)),
        (LONG, (2, 0x87)),
    )
    for at in range(len(answer))
]


@pytest.mark.parametrize(("answer", "at", "told"), CUT)
def test_an_answer_that_comes_in_pieces_or_is_long_is_heard(
    answer: bytes, at: int, told: tuple[int, int]
) -> None:
    client, heard = DirectClient(CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5), []
    client.on_answered = heard.extend
    client._unanswered = {1, 2, 3}
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        client._sock = near
        far.send(b"\x40\x02\x00\x01" + answer[:at])
        client._hear(near)
        assert heard == [(1, 0)]
        far.send(answer[at:] + b"\x40\x02\x00\x03")
        client._hear(near)
        client._sock = None
    assert heard == [(1, 0), told, (3, 0)]
