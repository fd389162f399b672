"""TLS with the shipped broker configuration: who is let in, and what outbox and consumer may do."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from controller.consumer.consumer import BrokerUp
from tests.broker_roles.roles import TABLE_USER, Floor
from tests.consumer.test_consumer import Receiving
from tests.outbox.sender import TOPICS, Sender, connectors_end


@pytest.mark.parametrize("user", ["controller", TABLE_USER])
def test_the_outbox_and_its_consumer_may_do_all_that_they_do(floor: Floor, tmp_path: Path, user: str) -> None:
    ours, theirs = (floor.login(role, floor.certificate()) for role in (user, "settlement"))
    with (
        Sender(floor.broker, consumers=["settlement"], **ours) as sender,
        Receiving(floor.broker, tmp_path / "kept.db", **theirs) as receiving,
    ):
        sender.connect()
        sender.write(5)
        sender.publisher.set_retained({TOPICS.display: b"{}", TOPICS.result: b"{}", TOPICS.alert("1"): b"{}"})
        receiving.until(sender, lambda: sender.publisher.counters.pending == 0)
        sender.publisher.set_retained({TOPICS.alert("1"): None})
        receiving.until(sender, lambda: TOPICS.alert("1") not in sender.publisher._schedule.retained)
        assert "publish-denied" not in sender.held
        assert BrokerUp("5") in receiving.seen


# paho leaves a socket whose handshake failed to the garbage collector, which is therefore run here.
@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <ssl.SSLSocket:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize(
    "wrong", ["no certificate", "a foreign certificate", "an expired certificate", "a foreign broker"]
)
def test_whom_the_other_end_cannot_trust_is_not_connected_and_told_why(floor: Floor, wrong: str) -> None:
    certificates = {
        "no certificate": lambda: None,
        "a foreign certificate": lambda: floor.certificate(by=floor.stranger),
        "an expired certificate": lambda: floor.certificate(expired=True),
        "a foreign broker": floor.certificate,
    }
    settings = floor.login("controller", certificates[wrong]())
    if wrong == "a foreign broker":
        floor.stranger.cert_pem.write_to_path(settings["ca_file"])
    with Sender(floor.broker, **settings) as sender:
        sender.write(1)
        sender.run_until(lambda: "broker" in sender.held)
        sender.ahead_s += 1
        for _ in range(10):
            sender.step()
        assert sender.publisher.counters.connections == 0
        assert sender.publisher.counters.sent == 0
        if wrong == "a foreign broker":
            assert "self-signed certificate in certificate chain" in sender.message("broker")
    connectors_end()
    gc.collect()


def test_another_roles_password_opens_nothing(floor: Floor) -> None:
    settings = floor.login("display", floor.certificate())
    settings["username"] = "controller"
    with Sender(floor.broker, **settings) as sender:
        sender.run_until(lambda: "broker" in sender.held)
        assert "uthorized" in sender.message("broker")
