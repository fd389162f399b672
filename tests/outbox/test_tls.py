"""TLS with the shipped broker configuration: who is let in, and what outbox and consumer may do."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from controller.consumer.consumer import BrokerUp, Consumer, ConsumerNotice
from controller.consumer.store import MessageStore
from controller.outbox.broker import BrokerSettings
from tests.broker_roles.roles import TABLE_USER, Floor, secret_of
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import PATIENCE_S, TOPICS, Sender, wall


@pytest.fixture
def floor(tmp_path: Path) -> Iterator[Floor]:
    """One for each test: an acknowledgement that a broker still has would release another test's messages."""
    made = Floor(tmp_path / "broker")
    yield made
    made.stop()


def login(floor: Floor, directory: Path, role: str, certificate: Path | None) -> dict[str, Any]:
    password = directory / f"{role.replace('/', '-')}.password"
    password.write_text(f"{secret_of(role)}\n")
    ca = directory / "ca.pem"
    floor.authority.cert_pem.write_to_path(ca)
    return {"username": role, "password_file": password, "ca_file": ca, "cert_file": certificate}


@pytest.mark.parametrize("user", ["controller", TABLE_USER])
def test_the_outbox_and_its_consumer_may_do_all_that_they_do(floor: Floor, tmp_path: Path, user: str) -> None:
    seen: list[ConsumerNotice] = []
    ours = login(floor, tmp_path, user, floor.certificate())
    theirs = login(floor, tmp_path, "settlement", floor.certificate())
    with (
        Sender(floor.broker, consumers=["settlement"], **ours) as sender,
        MessageStore(tmp_path / "kept.db") as store,
    ):
        consumer = Consumer(
            name="settlement",
            topics=TOPICS,
            broker=BrokerSettings(
                client_id="settlement-7", host=floor.broker.host, port=floor.broker.port, **theirs
            ),
            store=store,
            see=seen.append,
            wall=wall,
        )

        def stepped(condition: Any) -> bool:
            consumer.step(0.001)
            return bool(condition())

        sender.connect()
        sender.write(5)
        sender.publisher.set_retained({TOPICS.display: b"{}", TOPICS.result: b"{}", TOPICS.alert("1"): b"{}"})
        sender.run_until(lambda: stepped(lambda: sender.publisher.counters.pending == 0))
        sender.publisher.set_retained({TOPICS.alert("1"): None})
        sender.run_until(
            lambda: stepped(lambda: TOPICS.alert("1") not in sender.publisher._schedule.retained)
        )
        assert "publish-denied" not in sender.held
        assert BrokerUp("5") in seen
        consumer.stop()


# paho leaves a socket whose handshake failed to the garbage collector, which is therefore run here.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize(
    "wrong", ["no certificate", "a foreign certificate", "an expired certificate", "a foreign broker"]
)
def test_whom_the_other_end_cannot_trust_is_not_connected_and_told_why(
    floor: Floor, tmp_path: Path, wrong: str
) -> None:
    certificates = {
        "no certificate": lambda: None,
        "a foreign certificate": lambda: floor.certificate(by=floor.stranger),
        "an expired certificate": lambda: floor.certificate(expired=True),
        "a foreign broker": floor.certificate,
    }
    settings = login(floor, tmp_path, "controller", certificates[wrong]())
    if wrong == "a foreign broker":
        floor.stranger.cert_pem.write_to_path(tmp_path / "ca.pem")
    with Sender(floor.broker, journal=scratch_journal(), **settings) as sender:
        sender.write(1)
        sender.run_until(lambda: "broker" in sender.held)
        sender.ahead_s += 1
        for _ in range(10):
            sender.step()
        assert sender.publisher.counters.connections == 0
        assert sender.publisher.counters.sent == 0
        if wrong == "a foreign broker":
            assert "certificate verify failed" in sender.message("broker")
    for thread in threading.enumerate():
        if thread.name == "mqtt-connect":
            thread.join(PATIENCE_S)
    gc.collect()


def test_another_roles_password_opens_nothing(floor: Floor, tmp_path: Path) -> None:
    settings = login(floor, tmp_path, "display", floor.certificate())
    settings["username"] = "controller"
    with Sender(floor.broker, **settings) as sender:
        sender.run_until(lambda: "broker" in sender.held)
        assert "uthorized" in sender.message("broker")
