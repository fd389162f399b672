"""A connection as it is handed over."""

from __future__ import annotations

import select
import socket
from typing import Any

import paho.mqtt.client as paho

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.connector import Connector, Secrets
from controller.outbox.reports import ConnectionLost
from tests.harness.broker import Broker
from tests.harness.patience import PATIENCE_S


def test_what_is_said_waits_for_no_answer_to_what_was_said_before(broker: Broker) -> None:
    made = Connector(BrokerSettings("north-7", port=broker.port), Secrets(None, None), "5", None, "")
    assert select.select([made.bell], [], [], PATIENCE_S)[0]
    client = made.outcome()
    assert isinstance(client, paho.Client)
    opened: Any = client.socket()
    with opened:
        assert opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_an_error_that_nobody_foresaw_is_said_at_once(broker: Broker) -> None:
    """Who waits for the thread would else wait for an answer of the broker."""
    no_topic: Any = 5
    will = Will(no_topic, b"")
    made = Connector(BrokerSettings("north-7", port=broker.port), Secrets(None, None), "5", will, "")
    assert select.select([made.bell], [], [], PATIENCE_S)[0]
    lost = made.outcome()
    assert isinstance(lost, ConnectionLost)
    assert lost.reason == f"no connection can be made with 127.0.0.1:{broker.port}: TypeError"
