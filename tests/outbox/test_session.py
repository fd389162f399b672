"""A session alone: in order, whole, over when the connection is; with and without TLS, in both versions."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
    Unsubscribed,
)
from controller.outbox.session import MOST_DEAF, MOST_READS, NOT_HEARD, SUBACK_TIMEOUT_S, Session
from controller.settings.broker import broker_settings
from controller.settings.model import MqttSettings
from tests.broker_roles.roles import Floor
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until
from tests.outbox.sender import TOPICS, connectors_end

SAID = TOPICS.events


class Talk:
    """A session and all that it reported."""

    def __init__(self, settings: BrokerSettings) -> None:
        self.session = Session(settings)
        self.reports: list[Report] = []
        self.session.open(time.monotonic())

    def until(self, so: Callable[[], bool]) -> None:
        """Serve until it is so."""
        until(so, lambda: self.reports[-5:], self.serve)

    def serve(self) -> None:
        self.session.wait(0.1)
        self.reports += self.session.serve(time.monotonic())

    def listen(self) -> None:
        """Hear what is published on the topic of all tests here."""
        self.until(lambda: self.session.connected)
        self.session.subscribe([SAID])
        self.until(lambda: Subscribed({}) in self.reports)

    def of(self, kind: type[Report]) -> list[Report]:
        return [report for report in self.reports if isinstance(report, kind)]

    @property
    def heard(self) -> list[bytes]:
        return [report.payload for report in self.reports if isinstance(report, Arrived)]


@pytest.fixture(params=["5", "3.1.1"])
def talk(broker: Broker, request: pytest.FixtureRequest) -> Iterator[Talk]:
    made = Talk(BrokerSettings("talk", port=broker.port, protocol=request.param))
    made.listen()
    yield made
    made.session.hang_up()


@pytest.fixture(params=["plain", "TLS"])
def line(broker: Broker, request: pytest.FixtureRequest) -> Iterator[tuple[Talk, Broker]]:
    """The same session over both kinds of line."""
    behind, login = broker, {}
    if request.param == "TLS":
        floor: Floor = request.getfixturevalue("floor")
        behind, login = floor.broker, floor.login("controller", floor.certificate())
    talk = Talk(BrokerSettings("talk", port=behind.port, **login))
    yield talk, behind
    talk.session.hang_up()


def test_what_is_published_comes_whole_in_order_and_is_answered(talk: Talk) -> None:
    bodies = [b"%d" % number * (number * 40) for number in range(1, 40)]
    mids = [talk.session.publish(SAID, body) for body in bodies]
    talk.until(lambda: len(talk.heard) == len(talk.of(Puback)) == len(bodies))
    assert talk.heard == bodies
    assert talk.of(Puback) == [Puback(mid) for mid in mids if mid is not None]


def test_what_the_socket_does_not_take_is_written_when_it_does(line: tuple[Talk, Broker]) -> None:
    talk, broker = line
    talk.until(lambda: talk.session.connected)
    broker.freeze()
    try:
        mids = [talk.session.publish(SAID, b"%05d" % number * 12_000) for number in range(100)]
        number, events = talk.session.interest() or (-1, 0)
        assert (number >= 0, bool(events & select.POLLOUT)) == (True, True)
    finally:
        broker.thaw()
    talk.until(lambda: [report.mid for report in talk.reports if isinstance(report, Puback)] == mids)
    assert not (talk.session.interest() or (-1, 0))[1] & select.POLLOUT


def test_a_broker_that_says_much_at_once_is_read_to_the_end(line: tuple[Talk, Broker]) -> None:
    """Over TLS many packets come in one record, and of what is left in it no descriptor tells."""
    talk, broker = line
    talk.until(lambda: talk.session.connected)
    talk.session.subscribe([TOPICS.status])
    talk.until(lambda: Subscribed({}) in talk.reports)
    count = MOST_READS + 50
    broker.freeze()
    for number in range(count):
        talk.session.publish(TOPICS.status, b"%d" % number)
    broker.thaw()
    talk.until(lambda: len(talk.heard) == count)
    assert talk.heard == [b"%d" % number for number in range(count)]


def test_the_broker_says_that_nobody_listens(broker: Broker) -> None:
    """[MQTT 5, 3.4.2.1] 0x10: no matching subscribers."""
    talk = Talk(BrokerSettings("talk", port=broker.port))
    talk.until(lambda: talk.session.connected)
    mid = talk.session.publish("to nobody", b"")
    assert mid is not None
    talk.until(lambda: talk.of(Puback) == [Puback(mid, nobody=True)])
    talk.session.hang_up()


def test_to_unsubscribe_is_answered(talk: Talk) -> None:
    talk.session.unsubscribe("never/asked/for")
    talk.until(lambda: talk.of(Unsubscribed) == [Unsubscribed()])


def test_a_broker_that_dies_ends_it_and_it_may_be_opened_again(talk: Talk, broker: Broker) -> None:
    broker.kill()
    talk.until(lambda: bool(talk.of(ConnectionLost)))
    assert talk.session.publish(SAID, b"nobody") is None
    assert not talk.session.connected
    broker.start()
    talk.until(lambda: talk.session.attempts.due(time.monotonic()))
    talk.session.open(time.monotonic())
    talk.until(lambda: len(talk.of(Connected)) == 2)


@pytest.mark.parametrize(
    "nonsense", [b"\x00\x00", b"\xf0\xff\xff\xff\xff\xff", b"\x30\x02\x00\xff", b"\x40\x01\x00", b"\x90\x00"]
)
def test_a_broker_that_speaks_nonsense_ends_the_connection_and_nothing_else(
    broker: Broker, nonsense: bytes
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        talk = Talk(BrokerSettings("talk", port=server.getsockname()[1]))
        connection, _ = server.accept()
        with connection:
            connection.recv(65536)
            connection.sendall(b"\x20\x03\x00\x00\x00" + nonsense)
            connection.shutdown(socket.SHUT_WR)
            talk.until(lambda: bool(talk.of(ConnectionLost)))
    assert not talk.session.connected


def test_who_takes_leave_says_farewell_and_no_will_is_heard(broker: Broker) -> None:
    listener = Talk(BrokerSettings("listener", port=broker.port))
    listener.listen()
    leaving = Session(BrokerSettings("leaving", port=broker.port))
    leaving.open(time.monotonic(), Will(SAID, b"lost"))
    while not leaving.connected:
        leaving.wait(1)
        leaving.serve(time.monotonic())
    leaving.leave(Will(SAID, b"offline"))
    listener.session.publish(SAID, b"after")
    listener.until(lambda: b"after" in listener.heard)
    assert listener.heard == [b"offline", b"after"]
    listener.session.hang_up()


def test_a_connection_that_nobody_waits_for_any_more_is_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        session = Session(BrokerSettings("hasty", port=server.getsockname()[1]))
        session.open(time.monotonic())
        session.hang_up()
        connectors_end()
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE_S)
            while connection.recv(65536):
                pass
    assert session.interest() is None
    assert session.serve(time.monotonic()) == []


@contextmanager
def broker_that_says(connack: bytes, **settings: Any) -> Iterator[tuple[Talk, socket.socket]]:
    """A session with somebody who says only this, and the other end of its connection."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        talk = Talk(BrokerSettings("talk", port=server.getsockname()[1], **settings))
        theirs, _ = server.accept()
        with theirs:
            theirs.recv(4096)
            theirs.sendall(connack)
            talk.until(lambda: talk.session.connected)
            yield talk, theirs
        talk.session.hang_up()


def test_a_connection_on_which_nobody_speaks_is_kept_alive() -> None:
    with broker_that_says(b"\x20\x03\x00\x00\x00", keepalive_s=1) as (talk, theirs):
        theirs.setblocking(False)
        heard = bytearray()

        def pinged() -> bool:
            with suppress(BlockingIOError):
                heard.extend(theirs.recv(4096))
            return b"\xc0\x00" in heard

        talk.until(pinged)


def test_no_more_is_in_flight_than_the_broker_takes() -> None:
    receive_maximum = b"\x21\x00\x05"
    with broker_that_says(b"\x20\x06\x00\x00\x03" + receive_maximum) as (talk, _):
        assert [report.window for report in talk.reports if isinstance(report, Connected)] == [5]


def suback(reason: int) -> bytes:
    """To the first SUBSCRIBE of a connection, of one filter, in MQTT 5."""
    return bytes([0x90, 4, 0, 1, 0, reason])


@pytest.mark.parametrize("reason", [0x80, 0x83])
def test_who_cannot_hear_because_the_broker_fails_is_not_left_deaf(reason: int) -> None:
    """A node that has just come back says so. Its silence would be taken for that of the consumers."""
    with broker_that_says(b"\x20\x03\x00\x00\x00") as (talk, theirs):
        talk.session.subscribe([SAID])
        theirs.sendall(suback(reason))
        talk.until(lambda: bool(talk.of(ConnectionRefused)))
        assert not talk.of(Subscribed)
        assert not talk.session.connected


def test_a_broker_that_never_lets_us_hear_is_believed_in_the_end() -> None:
    """It may mean a right that is missing: what can be said is said, and who reads the alerts knows."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        talk = Talk(BrokerSettings("talk", port=server.getsockname()[1]))
        for number in range(MOST_DEAF + 1):
            connection, _ = server.accept()
            with connection:
                connection.recv(4096)
                connection.sendall(b"\x20\x03\x00\x00\x00")
                talk.until(lambda: talk.session.connected)
                talk.session.subscribe([SAID])
                connection.sendall(suback(0x80))
                talk.until(lambda number=number: len(talk.reports) == 2 * (number + 1))
            if number < MOST_DEAF:
                talk.session.open(time.monotonic())
        talk.session.hang_up()
    assert talk.reports[-1] == Subscribed({SAID: "Unspecified error"}, qos=1)


def test_a_right_that_is_missing_ends_no_connection() -> None:
    with broker_that_says(b"\x20\x03\x00\x00\x00") as (talk, theirs):
        talk.session.subscribe([SAID])
        theirs.sendall(suback(0x87))
        talk.until(lambda: Subscribed({SAID: "Not authorized"}, qos=1) in talk.reports)
        assert talk.session.connected


def test_a_broker_that_does_not_answer_to_subscribe_is_left() -> None:
    with broker_that_says(b"\x20\x03\x00\x00\x00") as (talk, _):
        talk.session.subscribe([SAID])
        now_s = time.monotonic()
        assert talk.session.serve(now_s) == []
        assert talk.session.serve(now_s + SUBACK_TIMEOUT_S - 0.1) == []
        assert talk.session.serve(now_s + SUBACK_TIMEOUT_S) == [ConnectionLost(NOT_HEARD)]


def test_who_asks_again_while_nobody_answers_waits_no_longer_for_that() -> None:
    """A table that hears none of its consumers asks again as often as an answer is waited for."""
    with broker_that_says(b"\x20\x03\x00\x00\x00") as (talk, _):
        talk.session.subscribe([SAID])
        now_s = time.monotonic()
        assert talk.session.serve(now_s) == []
        talk.session.subscribe([SAID])
        assert talk.session.serve(now_s + SUBACK_TIMEOUT_S) == [ConnectionLost(NOT_HEARD)]


def test_when_it_is_connected_no_thread_but_its_owner_is_at_work(talk: Talk) -> None:
    connectors_end()
    before = set(threading.enumerate())
    mid = talk.session.publish(SAID, b"alone")
    assert mid is not None
    talk.until(lambda: Puback(mid) in talk.reports and talk.heard == [b"alone"])
    assert set(threading.enumerate()) <= before


def test_a_broker_that_keeps_still_is_not_asked_in_the_older_mqtt(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may only be slow, and in 3.1.1 nobody would be told any more what it refuses."""
    monkeypatch.setattr("controller.outbox.attempts.CONNACK_TIMEOUT_S", 0.1)
    broker.freeze()
    try:
        talk = Talk(BrokerSettings("talk", port=broker.port))
        talk.until(lambda: bool(talk.of(ConnectionLost)))
        assert not talk.session.attempts.again
    finally:
        broker.thaw()
    monkeypatch.undo()
    talk.session.open(time.monotonic())
    talk.until(lambda: talk.session.connected)
    assert [report.protocol for report in talk.reports if isinstance(report, Connected)] == ["5"]
    talk.session.hang_up()


def test_who_hangs_up_is_asked_in_the_older_mqtt_unless_it_knew_the_newer() -> None:
    """As what stands before a broker does while that is away: what comes back must not be taken for an old
    one."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        talk = Talk(BrokerSettings("talk", port=server.getsockname()[1]))
        levels = []
        for answer in (b"", b"", b"\x20\x03\x00\x00\x00", b"", b""):
            connection, _ = server.accept()
            with connection:
                levels.append(connection.recv(4096)[8])
                connection.sendall(answer)
            lost = len(talk.of(ConnectionLost))
            talk.until(lambda lost=lost: len(talk.of(ConnectionLost)) > lost)
            talk.session.open(time.monotonic())
        talk.session.hang_up()
    assert levels == [5, 4, 5, 5, 5]


def test_what_one_of_several_brokers_does_not_know_says_nothing_of_another(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.outbox.attempts.REFUSED_BACK_OFF_S", (0.0,))
    with socket.create_server(("127.0.0.1", 0)) as server:
        older = server.getsockname()[1]
        talk = Talk(BrokerSettings("talk", port=older, others=((broker.host, broker.port),)))
        for level in (5, 4):
            connection, _ = server.accept()
            with connection:
                assert connection.recv(4096)[8] == level
                connection.sendall(b"\x20\x02\x00\x01")
            lost = len(talk.reports)
            talk.until(lambda lost=lost: len(talk.reports) > lost)
            talk.session.open(time.monotonic())
    talk.until(lambda: talk.session.connected)
    assert [report.protocol for report in talk.reports if isinstance(report, Connected)] == ["5"]
    talk.session.hang_up()


def test_the_older_mqtt_is_spoken_from_the_start_where_it_is_set() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings = broker_settings(MqttSettings(port=server.getsockname()[1], protocol="3.1.1"), "talk")
        talk = Talk(settings)
        connection, _ = server.accept()
        with connection:
            assert connection.recv(4096)[8] == 4
        talk.session.hang_up()


def test_a_broker_that_let_us_in_is_not_asked_in_the_older_mqtt_because_it_hangs_up(broker: Broker) -> None:
    """Though our own side ended that connection, as after a look."""
    talk = Talk(BrokerSettings("talk", port=broker.port))
    talk.until(lambda: talk.session.connected)
    talk.session.hang_up()
    attempts, where, lost = talk.session.attempts, talk.session.broker.where, ConnectionLost("", silent=True)
    attempts.begin(time.monotonic())
    attempts.end(lost, time.monotonic(), where=where, was_connected=False)
    assert not attempts.again
    attempts.end(lost, time.monotonic(), where="another", was_connected=False)
    assert attempts.again
