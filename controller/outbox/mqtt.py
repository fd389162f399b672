"""The link to the broker: its settings, and one connection after the other. The outbox is the queue, not
paho.

Nothing raises but what is wrong with the settings; a broker that is absent, refuses or dies is a report.
Always QoS 1, no topic alias, and whoever calls publishes after ``Connected`` only (paho sends what it gets
before CONNACK out of order).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from controller.outbox.connection import Connection
from controller.outbox.reports import Report
from controller.vocabulary.errors import ConfigurationError

if TYPE_CHECKING:
    import ssl

    import paho.mqtt.client as paho

CONNECT_TIMEOUT_S = 5.0

Protocol = Literal["5", "3.1.1"]


class BrokerSettings(msgspec.Struct, frozen=True):
    """Where the broker is and how we show who we are. The password stands in a file, never here."""

    client_id: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password_file: Path | None = None
    ca_file: Path | None = None
    """Turns TLS on; the broker's certificate must come from here."""
    cert_file: Path | None = None
    key_file: Path | None = None
    keepalive_s: int = 15


class Will(msgspec.Struct, frozen=True):
    """What the broker publishes, retained, when it misses us."""

    topic: str
    payload: bytes


def read_password(settings: BrokerSettings) -> str | None:
    """The password, without the line end. ConfigurationError where the file cannot be read."""
    if settings.password_file is None:
        return None
    try:
        return settings.password_file.read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(
            f"mqtt.password_file: cannot read {settings.password_file}: {error}"
        ) from error


def tls_context(settings: BrokerSettings) -> ssl.SSLContext | None:
    """TLS as the settings have it, None without. ConfigurationError where a file is missing or wrong."""
    if settings.ca_file is None:
        if settings.cert_file or settings.key_file:
            raise ConfigurationError("mqtt.tls.ca_file: needed where a client certificate is given")
        return None
    import ssl

    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
    except OSError as error:
        raise ConfigurationError(f"mqtt.tls.ca_file: cannot use {settings.ca_file}: {error}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if settings.cert_file is not None:
        try:
            context.load_cert_chain(settings.cert_file, settings.key_file)
        except OSError as error:
            raise ConfigurationError(
                f"mqtt.tls.cert_file: cannot use {settings.cert_file}: {error}"
            ) from error
    return context


class Link:
    """Opens connections to one broker, one at a time. All methods are called by the one loop thread."""

    def __init__(self, settings: BrokerSettings, deliver: Callable[[Report], None]) -> None:
        self._settings = settings
        self._deliver = deliver
        self._password = read_password(settings)
        self._tls = tls_context(settings)
        self._number = 0
        self._calls: Connection | None = None

    @property
    def connection(self) -> int:
        """Number of the newest connection; reports of others are history."""
        return self._number

    def open(self, protocol: Protocol, will: Will | None, also_named: str = "") -> int:
        """Start a fresh connection; its outcome is reported. Returns its number.

        ``also_named`` is added to our name at the broker: then it takes no other connection's place.
        """
        self.drop()
        self._number += 1
        name = f"{self._settings.client_id}{also_named}"
        calls = Connection(
            self._number, lambda: self._fresh_client(protocol, will, name), protocol, self._deliver
        )
        self._calls = calls
        where = (self._settings.host, self._settings.port, self._settings.keepalive_s)
        threading.Thread(
            target=calls.connect, args=where, name=f"mqtt-connect-{self._number}", daemon=True
        ).start()
        return self._number

    def _fresh_client(self, protocol: Protocol, will: Will | None, name: str) -> paho.Client:
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

        from controller.outbox.direct import DirectClient

        settings = self._settings
        five = protocol == "5"
        kind = paho.Client if self._tls is not None else DirectClient
        client = kind(
            CallbackAPIVersion.VERSION2,
            client_id=name,
            clean_session=None if five else True,
            protocol=MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_inflight_messages = 0
        if settings.username is not None:
            client.username_pw_set(settings.username, self._password)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        if will is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True)
        return client

    def subscribe(self, filters: Sequence[str]) -> None:
        """Ask for these topics, QoS 1."""
        if self._calls is not None:
            self._calls.subscribe(filters)

    def publish(self, topic: str, payload: bytes | None, *, retain: bool) -> int | None:
        """Hand a message over, QoS 1; its number, or None where the connection has just gone."""
        return None if self._calls is None else self._calls.publish(topic, payload, retain=retain)

    def together(self) -> AbstractContextManager[None]:
        """What is published in here may leave in fewer pieces, the last of them at the end."""
        return contextlib.nullcontext() if self._calls is None else self._calls.together()

    def drop(self) -> None:
        """Hang up without a word: the broker publishes the will. No report of that connection follows."""
        calls, self._calls = self._calls, None
        if calls is not None:
            calls.hang_up()

    def close(self, farewell: Will) -> None:
        """Publish the farewell, retained, take leave (no will) and wait until paho's thread has ended."""
        calls, self._calls = self._calls, None
        if calls is not None:
            calls.take_leave(farewell.topic, farewell.payload)
