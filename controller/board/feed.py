"""The broker's side of the board: one subscriber, a fresh client for each connection, nothing published.

A cut network closes no socket, so the subscriber asks the broker for a sign of life all the time: to
UNSUBSCRIBE from a topic that it never asked for changes nothing, and the broker must answer. This is what
"no signal" within two seconds rests on, long before MQTT's own keepalive would notice.
"""

from __future__ import annotations

import logging
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from controller.board.source import HANG_UP_AFTER_S, LOOK_EVERY_S, SILENT_AFTER_S, Follower, Listener
from controller.outbox.connection import no_delay, shut
from controller.outbox.mqtt import CONNECT_TIMEOUT_S, BrokerSettings, read_password, tls_context

ASK_EVERY_S = 0.4
RETRY_S = (0.2, 0.5, 1.0)
_NOBODYS = "dealer-table/board/alive"
_LOG = logging.getLogger(__name__)


class Feed(Follower):
    """Keeps a subscription alive."""

    def __init__(self, settings: BrokerSettings, filters: Sequence[str], listener: Listener) -> None:
        super().__init__("board-feed", _LOG, listener)
        self._settings = settings
        self._filters = [(name, 1) for name in filters]
        self._password = read_password(settings)
        self._tls = tls_context(settings)

    def _run(self) -> None:
        failures = 0
        while not self._stop.is_set():
            client = self._fresh_client()
            connection = _Connection(client, self._listener, self._filters, self._say_alive)
            if connection.serve(self._settings, self._stop):
                failures = 0
            self._complain(connection.trouble)
            self._stop.wait(RETRY_S[min(failures, len(RETRY_S) - 1)])
            failures += 1

    def _fresh_client(self) -> paho.Client:
        settings = self._settings
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"{settings.client_id}-{secrets.token_hex(6)}",
            clean_session=True,
            protocol=MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        client.connect_timeout = CONNECT_TIMEOUT_S
        if settings.username is not None:
            client.username_pw_set(settings.username, self._password)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        return client


class _Connection:
    """One connection from CONNECT to its end."""

    def __init__(
        self,
        client: paho.Client,
        listener: Listener,
        filters: list[tuple[str, int]],
        say_alive: Callable[[bool], None],
    ) -> None:
        self.trouble: str | None = None
        self._client = client
        self._listener = listener
        self._filters = filters
        self._say_alive = say_alive
        self._ended = threading.Event()
        self._subscribed = False
        self._complete = False
        self._heard = 0
        self._heard_at_last_ask = 0
        self._answered_at = 0.0
        client.on_socket_open = no_delay
        client.on_connect = self._connect
        client.on_disconnect = self._disconnect
        client.on_subscribe = self._subscribe
        client.on_unsubscribe = self._answer
        client.on_message = self._message

    def serve(self, settings: BrokerSettings, stop: threading.Event) -> bool:
        """Until the connection ends or ``stop`` is set; whether the broker let us in."""
        where = f"{settings.host}:{settings.port}"
        try:
            self._client.connect(settings.host, settings.port, keepalive=settings.keepalive_s)
        except ssl.SSLError as error:
            self.trouble = f"TLS with {where} failed: {error}"
            return False
        except (OSError, ValueError) as error:
            self.trouble = f"no broker at {where}: {error}"
            return False
        self._answered_at = time.monotonic()
        self._client.loop_start()
        asked_at = 0.0
        while not self._ended.wait(LOOK_EVERY_S) and not stop.is_set():
            now = time.monotonic()
            if self._subscribed and now - asked_at >= ASK_EVERY_S:
                asked_at = now
                self._heard_at_last_ask = self._heard
                self._client.unsubscribe(_NOBODYS)
            silent_s = now - self._answered_at
            if silent_s > SILENT_AFTER_S:
                self._say_alive(False)
            if silent_s > HANG_UP_AFTER_S:
                self.trouble = f"the broker at {where} does not answer"
                break
        self._say_alive(False)
        self._shut()
        return self._subscribed

    def _shut(self) -> None:
        client = self._client
        client.on_message = None
        if self.trouble is None:
            client.disconnect()
        shut(client)
        client.loop_stop()
        client.on_socket_open = client.on_connect = client.on_disconnect = None
        client.on_subscribe = client.on_unsubscribe = None

    def _connect(
        self,
        client: paho.Client,
        _userdata: Any,
        _flags: paho.ConnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if reason.is_failure:
            self.trouble = f"the broker refuses us: {reason}"
            self._ended.set()
            return
        self._listener.connected()
        told, _ = client.subscribe(self._filters)
        if told != MQTTErrorCode.MQTT_ERR_SUCCESS:
            self.trouble = "the subscription could not be sent"
            self._ended.set()

    def _subscribe(
        self,
        _client: paho.Client,
        _userdata: Any,
        _mid: int,
        reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        denied = [
            name for (name, _), reason in zip(self._filters, reasons, strict=False) if reason.is_failure
        ]
        if denied:
            _LOG.warning("the broker lets us hear nothing on %s", ", ".join(denied))
        self._subscribed = True
        self._sign_of_life()

    def _answer(
        self,
        _client: paho.Client,
        _userdata: Any,
        _mid: int,
        _reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        self._sign_of_life()
        # Nothing came between asking and answer: what was retained is in.
        if not self._complete and self._heard == self._heard_at_last_ask:
            self._complete = True
            self._listener.complete()

    def _message(self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage) -> None:
        self._heard += 1
        self._listener.heard(message.topic, bytes(message.payload))

    def _sign_of_life(self) -> None:
        self._answered_at = time.monotonic()
        self._say_alive(True)

    def _disconnect(
        self,
        _client: paho.Client,
        _userdata: Any,
        _flags: paho.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if self.trouble is None and reason.is_failure:
            self.trouble = f"connection to the broker lost: {reason}"
        self._ended.set()
