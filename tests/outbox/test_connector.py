"""A connection as it is handed over."""

from __future__ import annotations

import gc
import select
import socket
import ssl
import sys
import threading
from typing import Any

import paho.mqtt.client as paho
import pytest

from controller.outbox.broker import BrokerSettings, Will
from controller.outbox.connector import Connector, Secrets
from controller.outbox.reports import ConnectionLost, ConnectionRefused
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


class Unraised:
    """What a collector could not raise: a warning, that a socket was not closed, is an error here."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: list[str] = []
        patch.setattr("sys.unraisablehook", self._hook)

    def _hook(self, found: sys.UnraisableHookArgs) -> None:
        self.seen.append(str(found.exc_value))


def test_a_connection_on_which_tls_fails_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    unraised = Unraised(monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as deaf:

        def hang_up() -> None:
            with deaf.accept()[0] as came:
                came.recv(64)

        other = threading.Thread(target=hang_up)
        other.start()
        settings = BrokerSettings("north-7", port=deaf.getsockname()[1])
        made = Connector(settings, Secrets(None, ssl.create_default_context()), "5", None, "")
        assert select.select([made.bell], [], [], PATIENCE_S)[0]
        other.join()
        assert isinstance(made.outcome(), ConnectionRefused | ConnectionLost)
    gc.collect()
    assert unraised.seen == []


def test_a_client_that_nobody_has_hung_up_goes_with_its_socket(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is garbage with whom it calls, and a collector may come to the socket first."""
    unraised = Unraised(monkeypatch)
    monkeypatch.setattr(paho.Client, "__del__", lambda _: None)  # which comes too late then
    made = Connector(BrokerSettings("north-7", port=broker.port), Secrets(None, None), "5", None, "")
    assert select.select([made.bell], [], [], PATIENCE_S)[0]
    client = made.outcome()
    assert isinstance(client, paho.Client)
    client.on_connect = lambda *_, mine=client: mine
    del client, made
    gc.collect()
    assert unraised.seen == []
