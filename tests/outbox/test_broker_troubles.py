"""A broker that is absent, refuses, dies, freezes, returns, or speaks old MQTT only: said clearly, nothing
lost."""

from __future__ import annotations

import json
import random
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from controller.outbox.broker import BrokerSettings
from controller.outbox.session import Session
from controller.vocabulary.errors import ConfigurationError
from tests.harness.broker import Broker, password_file
from tests.harness.keys import as_hashed
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import TOPICS, Listener, Sender, ack, write


def wait_readable(sender: Sender) -> None:
    """The broker has said something, which nobody has read yet."""
    waiting = select.poll()
    number, _ = sender.publisher.interest() or (-1, 0)
    waiting.register(number, select.POLLIN)
    assert waiting.poll(60_000)


def test_absent_at_the_start_is_said_once_and_nothing_is_lost(absent_broker: Broker) -> None:
    with Sender(absent_broker) as sender:
        sender.write(5)
        sender.run_until(
            lambda: "broker" in sender.held and sender.publisher._session.attempts.opened_s is None
        )
        assert f"nothing answers at 127.0.0.1:{absent_broker.port}" in sender.message("broker")
        threads = threading.active_count()
        sender.ahead_s += 10
        for _ in range(20):
            sender.step()
        assert sender.told_of("broker") == ["broker is said"]
        assert threading.active_count() <= threads + 2
        absent_broker.start()
        sender.connect()
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        assert sender.told[:2] == ["broker is said", "broker is over"]


def test_a_name_that_nobody_knows_is_an_absent_broker(absent_broker: Broker) -> None:
    absent_broker.host = "broker.invalid"
    with Sender(absent_broker) as sender:
        sender.run_until(lambda: "broker" in sender.held)
        assert "nothing answers at broker.invalid" in sender.message("broker")


class TestLogin:
    @pytest.fixture
    def guarded(self, tmp_path: Path) -> Iterator[Broker]:
        passwords = password_file(tmp_path / "guarded", {"controller": "secret", "listener": "other"})
        acl = tmp_path / "guarded" / "acl"
        acl.write_text(
            f"user controller\ntopic readwrite {TOPICS.base}/status\ntopic write {TOPICS.base}/events\n"
            f"topic read {TOPICS.base}/acks/+\nuser listener\ntopic readwrite #\n"
        )
        for path in (passwords, acl):
            path.chmod(0o600)
        lines = [f"password_file {passwords}", f"acl_file {acl}"]
        with Broker(tmp_path / "guarded", lines=lines, anonymous=False) as running:
            yield running

    def test_refused_is_said_once_and_tried_again_with_patience(
        self, guarded: Broker, tmp_path: Path
    ) -> None:
        (tmp_path / "password").write_text("wrong\n")
        with Sender(guarded, username="controller", password_file=tmp_path / "password") as sender:
            sender.write(1)
            sender.run_until(lambda: "broker" in sender.held)
            reason = sender.message("broker")
            assert "Not authorized" in reason or "Bad user name" in reason
            assert "wrong" not in reason
            sender.ahead_s += 3
            for _ in range(20):
                sender.step()
            assert sender.told == ["broker is said"]
            assert sender.publisher.counters.sent == 0

    def test_without_a_login_nobody_gets_in(self, guarded: Broker) -> None:
        with Sender(guarded) as sender:
            sender.run_until(lambda: "broker" in sender.held)
            assert "Not authorized" in sender.message("broker")

    def test_let_in_with_the_password_from_the_file(self, guarded: Broker, tmp_path: Path) -> None:
        (tmp_path / "password").write_text("secret\n")
        with (
            Sender(guarded, username="controller", password_file=tmp_path / "password") as sender,
            Listener(guarded, "events", username="listener", password="other") as listener,
        ):
            sender.connect()
            sender.write(2)
            sender.run_until(lambda: listener.sequences == [1, 2])

    def test_what_the_acl_denies_is_said_by_topic(self, guarded: Broker, tmp_path: Path) -> None:
        (tmp_path / "password").write_text("secret")
        with Sender(guarded, username="controller", password_file=tmp_path / "password") as sender:
            sender.connect()
            sender.publisher.set_retained({TOPICS.display: b"d"})
            sender.run_until(lambda: "publish-denied" in sender.held)
            assert f"takes nothing on {TOPICS.display}:" in sender.message("publish-denied")
            sender.write(1)
            sender.run_until(lambda: sender.publisher.counters.pending == 0)

    def test_a_denied_stream_is_kept(self, guarded: Broker, tmp_path: Path) -> None:
        (tmp_path / "guarded" / "acl").write_text(f"user controller\ntopic read {TOPICS.base}/acks/+\n")
        guarded.stop()
        guarded.start()
        (tmp_path / "password").write_text("secret")
        with Sender(guarded, username="controller", password_file=tmp_path / "password") as sender:
            sender.connect()
            sender.write(2)
            sender.run_until(
                lambda: any(f"takes nothing on {TOPICS.events}:" in told.message for told in sender.changes)
            )
            assert sender.publisher.counters.pending == 2

    def test_a_password_file_that_cannot_be_read_is_a_configuration_error(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigurationError, match=r"^mqtt\.password_file: "):
            Session(BrokerSettings("id", password_file=tmp_path / "absent"))


@pytest.mark.parametrize(
    ("key", "files"),
    [
        ("ca_file", {"ca_file": "absent"}),
        ("ca_file", {"ca_file": "nonsense"}),
        ("ca_file", {"cert_file": "nonsense"}),
    ],
)
def test_a_certificate_that_cannot_be_used_is_a_configuration_error(
    tmp_path: Path, key: str, files: dict[str, str]
) -> None:
    (tmp_path / "nonsense").write_text("nonsense")
    paths: dict[str, Any] = {name: tmp_path / file for name, file in files.items()}
    with pytest.raises(ConfigurationError, match=rf"^mqtt\.tls\.{key}: "):
        Session(BrokerSettings("id", **paths))


def test_a_broker_that_dies_and_returns_gets_everything_in_order(broker: Broker) -> None:
    with Sender(broker) as sender, Listener(broker, "events") as listener:
        sender.connect()
        sender.write(3)
        sender.run_until(lambda: len(listener.sequences) == 3)
        broker.kill()
        sender.run_until(lambda: "broker" in sender.held)
        sender.write(3)
        broker.start()
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        assert sender.journal.cursors() == {"broker": 6}


def test_who_was_held_up_hears_the_answers_before_the_broker_is_silent(broker: Broker) -> None:
    with Sender(broker, ack_timeout_s=30) as sender:
        sender.connect()
        sender.run_until(lambda: not sender.publisher._schedule._in_flight)
        broker.freeze()  # else its answer may be read at once
        sender.write(1)
        broker.thaw()
        wait_readable(sender)
        sender.ahead_s += 31  # a disk that took so long; the broker has answered meanwhile
        sender.poll()
        assert sender.publisher.counters.taken == 1
        assert "broker" not in sender.held
        assert sender.publisher.counters.connections == 1


def test_a_broker_that_waited_for_the_same_disk_as_we_did_is_heard_out(broker: Broker) -> None:
    with Sender(broker, ack_timeout_s=30) as sender:
        sender.connect()
        broker.freeze()
        sender.write(1)
        sender.ahead_s += 31
        sender.poll()
        assert sender.publisher.counters.connected, "it has a moment to answer in"
        broker.thaw()
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        assert "broker" not in sender.held
        assert sender.publisher.counters.connections == 1


def test_a_frozen_broker_is_given_up_and_found_again(broker: Broker) -> None:
    with Sender(broker, ack_timeout_s=30) as sender:
        sender.connect()
        broker.freeze()
        sender.write(1)
        sender.step()
        sender.ahead_s += 30
        sender.run_until(lambda: "broker" in sender.held)
        assert "stopped answering" in sender.message("broker")
        broker.thaw()
        sender.run_until(lambda: sender.publisher.counters.pending == 0)
        assert sender.publisher.counters.connections == 2


def test_a_broker_that_never_says_connack_is_given_up(broker: Broker) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        Sender(broker, port=server.getsockname()[1]) as sender,
    ):
        sender.step()
        connection, _ = server.accept()
        with connection:
            sender.step()
            sender.ahead_s += 10
            sender.run_until(lambda: "broker" in sender.held)
            assert "does not answer to CONNECT" in sender.message("broker")


class OldBroker:
    """Between us and a real broker: lets MQTT 3.1.1 through, and refuses 5 in one of the ways that old
    brokers have."""

    def __init__(self, behind: Broker, refusal: bytes) -> None:
        self._behind = behind
        self._refusal = refusal
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]
        self.levels: list[int] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._server.accept()
                connect = connection.recv(65536)
                self.levels.append(connect[connect.index(b"MQTT") + 4])
                if self.levels[-1] == 5:
                    connection.sendall(self._refusal)
                    connection.close()
                    continue
                onward = socket.create_connection((self._behind.host, self._behind.port))
                onward.sendall(connect)
                for source, target in ((connection, onward), (onward, connection)):
                    threading.Thread(target=self._pass_on, args=(source, target), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with source, suppress(OSError):
            while taken := source.recv(65536):
                target.sendall(taken)
            target.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._server.close()


@pytest.mark.parametrize(
    "refusal",
    [b"\x20\x02\x00\x01", b"\x20\x03\x00\x84\x00", b""],
    ids=["the 3.1.1 refusal", "the MQTT 5 refusal", "hanging up"],
)
def test_a_broker_of_old_is_spoken_to_in_3_1_1(broker: Broker, refusal: bytes) -> None:
    old = OldBroker(broker, refusal)
    with Sender(broker, port=old.port) as sender, Listener(broker, "events", "display") as listener:
        sender.connect()
        sender.write(3)
        sender.publisher.set_retained({TOPICS.display: b"d"})
        sender.run_until(lambda: listener.sequences == [1, 2, 3] and listener.on("display") == [b"d"])
        assert old.levels == [5, 4]
    old.close()


def test_order_holds_over_fifty_kills_of_the_broker_and_only_the_consumer_releases(broker: Broker) -> None:
    """What the consumer accepts (repeats dropped, nothing behind a gap) is the whole stream, each message
    once."""
    journal = scratch_journal()
    choose = random.Random(7)
    kept: list[bytes] = []

    def accept(listener: Listener) -> bool:
        """Whether all is here."""
        for sequence, payload in zip(listener.sequences, listener.on("events"), strict=False):
            if sequence == len(kept) + 1:
                kept.append(payload)
        return len(kept) == journal.stream_head

    with Sender(broker, journal=journal, consumers=["settlement"], ack_timeout_s=1.0) as sender:
        for kill in range(50):
            with Listener(broker, "events") as listener:
                sender.run_until(lambda kill=kill: sender.publisher.counters.connections > kill)
                write(journal, choose.randint(1, 30))
                for _ in range(choose.randint(1, 40)):
                    sender.step(0.001)
                accept(listener)
                if choose.random() < 0.7:
                    listener.say("acks/settlement", ack(5, len(kept)), retain=True)
                broker.kill()
            sender.run_until(lambda: not sender.publisher.counters.connected)
            assert journal.cursors()["settlement"] <= len(kept)
            broker.start()
            sender.ahead_s += 0.4  # the back-off
        with Listener(broker, "events") as listener:
            sender.run_until(lambda: accept(listener))
    bodies = [message.body for message in journal.messages(0, 10_000)]
    assert [json.loads(payload)["sequence"] for payload in kept] == list(range(1, len(bodies) + 1))
    assert [as_hashed(payload) for payload in kept] == bodies
