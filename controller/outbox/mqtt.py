"""The connection to the broker, over paho-mqtt. One connection, one client; the outbox is the queue, not
paho.

paho is imported by the thread that reaches for the broker: a table is ready before, and plays without.
paho's threads do one thing here: put a report on the caller's queue. Nothing raises but what is wrong with
the settings; a broker that is absent, refuses or dies is a report. Always QoS 1, no topic alias, and whoever
calls publishes after ``Connected`` only (paho sends what it gets before CONNACK out of order).
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from controller.outbox.reports import Arrived, Connected, Lost, Published, Refused, Report, Subscribed
from controller.vocabulary.errors import ConfigurationError

if TYPE_CHECKING:
    import ssl

    import paho.mqtt.client as paho
    from paho.mqtt.properties import Properties
    from paho.mqtt.reasoncodes import ReasonCode

WINDOW = 64
"""Messages on their way at most; a broker may want fewer (MQTT 5, Receive Maximum)."""

NO_MATCHING_SUBSCRIBERS = 0x10
UNSUPPORTED_PROTOCOL_VERSION = 0x84
TAKEN = 0
"""What paho returns for a call that it could do (``MQTT_ERR_SUCCESS``)."""
CONNECT_TIMEOUT_S = 5.0
LEAVE_TIMEOUT_S = 2.0

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
        self._calls: _Calls | None = None

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
        calls = _Calls(
            self._number, lambda: self._fresh_client(protocol, will, name), protocol, self._deliver
        )
        self._calls = calls
        threading.Thread(
            target=calls.connect, args=(self._settings,), name=f"mqtt-connect-{self._number}", daemon=True
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
        if self._calls is None or self._calls.client is None:
            return None
        told = self._calls.client.publish(topic, payload, qos=1, retain=retain)
        return told.mid if told.rc == TAKEN else None

    def drop(self) -> None:
        """Hang up without a word: the broker publishes the will. No report of that connection follows."""
        calls, self._calls = self._calls, None
        if calls is not None:
            calls.hang_up()

    def close(self, farewell: Will) -> None:
        """Publish the farewell, retained, take leave (no will) and wait until paho's thread has ended."""
        calls, self._calls = self._calls, None
        if calls is not None:
            calls.take_leave(farewell)


class _Calls:
    """One connection: paho's client and its callbacks, which only report."""

    def __init__(
        self,
        number: int,
        make: Callable[[], paho.Client],
        protocol: Protocol,
        deliver: Callable[[Report], None],
    ) -> None:
        """``make`` is called by the thread of :meth:`connect`, which is the first to import paho."""
        self.client: paho.Client | None = None
        self._make = make
        self._number = number
        self._protocol = protocol
        self._deliver_to = deliver
        self._answered = False
        self._asked: tuple[str, ...] = ()
        self._silent = threading.Event()
        self._hung_up = threading.Event()
        self._ended = threading.Event()
        self._server: threading.Thread | None = None
        """Who serves the connection, where paho has no thread of its own."""

    def connect(self, settings: BrokerSettings) -> None:
        """Reach the broker; runs in a thread of its own, since that may take seconds."""
        import ssl

        where = f"{settings.host}:{settings.port}"
        try:
            client = self._listened_to()
            if self._hung_up.is_set():
                self._let_go()
                return
            client.connect(settings.host, settings.port, keepalive=settings.keepalive_s)
        except ssl.SSLError as error:
            self._deliver(Refused(self._number, f"TLS with {where} failed: {error}"))
        except (OSError, ValueError) as error:
            self._deliver(Lost(self._number, f"no broker at {where}: {error}"))
        else:
            self._serve(client)

    def _serve(self, client: paho.Client) -> None:
        """Read until the connection is over; over TLS paho's own thread does it."""
        from controller.outbox.direct import DirectClient

        if self._hung_up.is_set():
            self._shut()
        if isinstance(client, DirectClient):
            self._server = threading.current_thread()
            client.serve()
        else:
            client.loop_start()
            if self._hung_up.is_set():
                self._shut()

    def _listened_to(self) -> paho.Client:
        """The client, whose every word comes to us."""
        self.client = client = self._make()
        client.on_socket_open = self._socket_open
        client.on_connect = self._connect
        client.on_disconnect = self._disconnect
        client.on_publish = self._publish
        client.on_subscribe = self._subscribed
        client.on_message = self._message
        return client

    def subscribe(self, filters: Sequence[str]) -> None:
        """One SUBSCRIBE; the answer is reported."""
        self._asked = tuple(filters)
        if self.client is not None:
            self.client.subscribe([(name, 1) for name in filters])

    def hang_up(self) -> None:
        """End the connection without DISCONNECT and report nothing more."""
        self._silent.set()
        self._hung_up.set()
        self._shut()
        self._let_go()

    def take_leave(self, farewell: Will) -> None:
        """Farewell, then DISCONNECT; a socket that takes nothing any more is shut.

        A socket that is closed with something unread in it is reset, the broker may miss the DISCONNECT
        then and publish the will: so we ask for nothing more, and the farewell's answer is the last thing
        that comes.
        """
        self._silent.set()
        client = self.client
        if client is None:
            self._hung_up.set()
            return
        if self._asked:
            client.unsubscribe(list(self._asked))
        told = client.publish(farewell.topic, farewell.payload, qos=1, retain=True)
        if told.rc == TAKEN:
            told.wait_for_publish(LEAVE_TIMEOUT_S)
        client.disconnect()
        if not self._ended.wait(LEAVE_TIMEOUT_S):
            self._shut()
        client.loop_stop()
        if self._server is not None:
            self._server.join(LEAVE_TIMEOUT_S)
        self._let_go()

    def _let_go(self) -> None:
        """Nothing refers to us any more, so that paho's sockets close when its thread ends, not when a
        collector runs."""
        client = self.client
        if client is None:
            return
        client.on_socket_open = client.on_connect = client.on_disconnect = None
        client.on_publish = client.on_subscribe = client.on_message = None

    def _shut(self) -> None:
        opened = None if self.client is None else self.client.socket()
        if isinstance(opened, socket.socket):
            with contextlib.suppress(OSError):  # it may be gone already
                opened.shutdown(socket.SHUT_RDWR)

    def _deliver(self, report: Report) -> None:
        if not self._silent.is_set():
            self._deliver_to(report)

    def _socket_open(self, _client: paho.Client, _userdata: Any, opened: Any) -> None:
        # Nagle's algorithm with delayed acknowledgements makes the whole tail of the latency.
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _connect(
        self,
        _client: paho.Client,
        _userdata: Any,
        _flags: paho.ConnectFlags,
        reason: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self._answered = True
        if reason.is_failure:
            unsupported = reason.value == UNSUPPORTED_PROTOCOL_VERSION
            self._deliver(Refused(self._number, str(reason), unsupported))
            return
        wanted = getattr(properties, "ReceiveMaximum", WINDOW)
        window = min(wanted, WINDOW)
        self._deliver(Connected(self._number, window, self._protocol, self._certificate_ends_s()))

    def _certificate_ends_s(self) -> float | None:
        """When the broker's certificate ends; None without TLS."""
        import ssl

        opened = None if self.client is None else self.client.socket()
        shown = opened.getpeercert() if isinstance(opened, ssl.SSLSocket) else None
        ends = None if shown is None else shown.get("notAfter")
        return float(ssl.cert_time_to_seconds(ends)) if isinstance(ends, str) else None

    def _disconnect(
        self,
        _client: paho.Client,
        _userdata: Any,
        flags: paho.DisconnectFlags,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        if self._ended.is_set():
            return  # who wrote and who read may both have seen it end
        self._ended.set()
        who = (
            "the broker ended the connection" if flags.is_disconnect_packet_from_server else "connection lost"
        )
        self._deliver(Lost(self._number, f"{who}: {reason}", silent=not self._answered))

    def _publish(
        self,
        _client: paho.Client,
        _userdata: Any,
        mid: int,
        reason: ReasonCode,
        _properties: Properties | None,
    ) -> None:
        self._deliver(
            Published(
                self._number,
                mid,
                denied=str(reason) if reason.is_failure else None,
                nobody=reason.value == NO_MATCHING_SUBSCRIBERS,
            )
        )

    def _subscribed(
        self,
        _client: paho.Client,
        _userdata: Any,
        _mid: int,
        reasons: list[ReasonCode],
        _properties: Properties | None,
    ) -> None:
        answers = zip(self._asked, reasons, strict=False)
        denied = {topic: str(reason) for topic, reason in answers if reason.is_failure}
        self._deliver(Subscribed(self._number, denied))

    def _message(self, _client: paho.Client, _userdata: Any, message: paho.MQTTMessage) -> None:
        self._deliver(Arrived(self._number, message.topic, bytes(message.payload), message.retain))
