"""One connection to the broker, over paho-mqtt: paho's client, and callbacks that only report.

paho is imported by the thread that reaches for the broker: a table is ready before, and plays without.
paho's threads do one thing here: put a report on the caller's queue.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any

from controller.outbox.reports import Arrived, Connected, Lost, Puback, Published, Refused, Report, Subscribed

if TYPE_CHECKING:
    import paho.mqtt.client as paho
    from paho.mqtt.properties import Properties
    from paho.mqtt.reasoncodes import ReasonCode

    from controller.outbox.direct import DirectClient

WINDOW = 64
"""Messages on their way at most; a broker may want fewer (MQTT 5, Receive Maximum)."""

NO_MATCHING_SUBSCRIBERS = 0x10
FAILURE = 0x80
"""Reasons from here on say that the broker did not do it."""
UNSUPPORTED_PROTOCOL_VERSION = 0x84
TAKEN = 0
"""What paho returns for a call that it could do (``MQTT_ERR_SUCCESS``)."""
LEAVE_TIMEOUT_S = 2.0


class Connection:
    """One connection: paho's client and its callbacks, which only report."""

    def __init__(
        self,
        number: int,
        make: Callable[[], paho.Client],
        protocol: str,
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
        self._direct: DirectClient | None = None
        """The client, where it has none."""

    def connect(self, host: str, port: int, keepalive_s: int) -> None:
        """Reach the broker; runs in a thread of its own, since that may take seconds."""
        import ssl

        where = f"{host}:{port}"
        try:
            client = self._listened_to()
            if self._hung_up.is_set():
                self._let_go()
                return
            client.connect(host, port, keepalive=keepalive_s)
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
            client.on_answered = self._said
            self._direct = client
            client.serve()
        else:
            client.loop_start()
            if self._hung_up.is_set():
                self._shut()

    def _listened_to(self) -> paho.Client:
        """The client, whose every word comes to us."""
        self.client = client = self._make()
        client.on_socket_open = no_delay
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

    def publish(self, topic: str, payload: bytes | None, *, retain: bool) -> int | None:
        """Hand a message over, QoS 1; its number, or None where the connection has just gone."""
        if self._direct is not None:
            return self._direct.say(topic, payload or b"", retain=retain)
        if self.client is None:
            return None
        told = self.client.publish(topic, payload, qos=1, retain=retain)
        return told.mid if told.rc == TAKEN else None

    def together(self) -> AbstractContextManager[None]:
        """See ``Link.together``; paho's own thread writes when it likes."""
        return contextlib.nullcontext() if self._direct is None else self._direct.together()

    def hang_up(self) -> None:
        """End the connection without DISCONNECT and report nothing more."""
        self._silent.set()
        self._hung_up.set()
        self._shut()
        self._let_go()

    def take_leave(self, topic: str, farewell: bytes) -> None:
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
        told = client.publish(topic, farewell, qos=1, retain=True)
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
        if self._direct is not None:
            self._direct.on_answered = None

    def _shut(self) -> None:
        if self.client is not None:
            shut(self.client)

    def _deliver(self, report: Report) -> None:
        if not self._silent.is_set():
            self._deliver_to(report)

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
        self._told([(mid, reason.value, str(reason) if reason.is_failure else None)])

    def _said(self, answers: Sequence[tuple[int, int]]) -> None:
        """The same of what the direct client said itself, as many as came together."""
        self._told(
            (mid, reason, reason_in_words(reason) if reason >= FAILURE else None) for mid, reason in answers
        )

    def _told(self, answers: Iterable[tuple[int, int, str | None]]) -> None:
        """Numbers and reasons, with the words where the broker did not take the message."""
        told = tuple(
            Puback(mid, denied, nobody=reason == NO_MATCHING_SUBSCRIBERS) for mid, reason, denied in answers
        )
        self._deliver(Published(self._number, told))

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


def no_delay(_client: paho.Client, _userdata: Any, opened: Any) -> None:
    """For ``on_socket_open``: Nagle's algorithm with delayed acknowledgements makes the whole tail of the
    latency.
    """
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def shut(client: paho.Client) -> None:
    """End the socket without a word, whoever reads or writes it just now.

    The socket below TLS: ``SSLSocket.shutdown`` first takes TLS away, and what another thread says before the
    socket is shut would leave in plain text.
    """
    opened = client.socket()
    if isinstance(opened, socket.socket):
        with contextlib.suppress(OSError):  # it may be gone already
            socket.socket.shutdown(opened, socket.SHUT_RDWR)


def reason_in_words(reason: int) -> str:
    """Why a broker did not take a message, by the number in its answer."""
    from paho.mqtt.packettypes import PacketTypes
    from paho.mqtt.reasoncodes import ReasonCode

    try:
        return str(ReasonCode(PacketTypes.PUBACK, identifier=reason))
    except (KeyError, ValueError):
        return f"reason {reason:#04x}"
