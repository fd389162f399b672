"""Connects, in a thread of its own: name lookup, TCP, TLS and the import of paho may take seconds."""

from __future__ import annotations

import logging
import os
import queue
import socket
import threading
import weakref
from typing import TYPE_CHECKING, Any

import msgspec

from controller.outbox.broker import BrokerSettings, Protocol, Will
from controller.outbox.reports import ConnectionLost, ConnectionRefused
from controller.outbox.sieve import LARGEST_PACKET, Sieve
from controller.vocabulary.errors import why

if TYPE_CHECKING:
    import ssl

    import paho.mqtt.client as paho

    Outcome = paho.Client | ConnectionRefused | ConnectionLost

log = logging.getLogger(__name__)

CONNECT_TIMEOUT_S = 5.0


class Secrets(msgspec.Struct, frozen=True):
    """What the files of the settings held."""

    password: str | None
    tls: ssl.SSLContext | None


class Connector:
    """One attempt, which begins at once; ``bell`` can be read when it is over."""

    def __init__(
        self,
        settings: BrokerSettings,
        secrets: Secrets,
        protocol: Protocol,
        will: Will | None,
        also_named: str,
        keeps_s: int = 0,
    ) -> None:
        self.bell = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        weakref.finalize(self, os.close, self.bell)
        self._settings = settings
        self._secrets = secrets
        self._protocol = protocol
        self._will = will
        self._name = f"{settings.client_id}{also_named}"
        self._keeps_s = keeps_s
        self._abandoned = False
        self._outcomes: queue.SimpleQueue[paho.Client | ConnectionRefused | ConnectionLost] = (
            queue.SimpleQueue()
        )
        self._begin()

    def outcome(self) -> Outcome | None:
        """What came of it, once: a client that has sent CONNECT, or why not. None: nothing yet."""
        try:
            return self._outcomes.get_nowait()
        except queue.Empty:
            return None

    def abandon(self) -> None:
        """Nobody waits for it any more."""
        self._abandoned = True  # first: the thread looks at it after it has brought its outcome
        self._close_unwanted()

    def _begin(self) -> None:
        threading.Thread(target=self._run, name="mqtt-connect", daemon=True).start()

    def _run(self) -> None:
        self._outcomes.put(self._connected())
        os.eventfd_write(self.bell, 1)
        if self._abandoned:
            self._close_unwanted()

    def _close_unwanted(self) -> None:
        outcome = self.outcome()
        if outcome is not None and not isinstance(outcome, ConnectionRefused | ConnectionLost):
            close_socket(outcome)

    def _connected(self) -> Outcome:
        import ssl

        settings = self._settings
        where = settings.where
        try:
            client = self._fresh_client()
            client.connect(
                settings.host,
                settings.port,
                keepalive=settings.keepalive_s,
                clean_start=not self._keeps_s if self._protocol == "5" else 3,  # which says nothing
                properties=self._properties(),
            )
        except ssl.SSLError as error:
            return ConnectionRefused(f"TLS with {where} failed: {why(error)}")
        except (OSError, ValueError) as error:
            return ConnectionLost(f"nothing answers at {where}: {why(error)}")
        except Exception as error:  # whatever it is: who waits for this thread is told, and tries again
            log.exception("no connection can be made with %s", where)
            return ConnectionLost(f"no connection can be made with {where}: {type(error).__name__}")
        opened = client.socket()
        if opened is None:
            return ConnectionLost(f"{where} hung up before CONNECT was sent", silent=True)
        # A client that nobody has hung up is garbage with all that it calls: its socket may go before it.
        weakref.finalize(client, opened.close)
        return client

    def _properties(self) -> Any:
        """What a broker of MQTT 5 is told: the largest packet that we take, how long it keeps our session."""
        if self._protocol != "5":
            return None
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        told: Any = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        told.MaximumPacketSize = LARGEST_PACKET
        if self._keeps_s:
            told.SessionExpiryInterval = self._keeps_s
        return told

    def _fresh_client(self) -> paho.Client:
        import paho.mqtt.client as paho
        from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

        class Client(paho.Client):
            """Reads through a sieve, as paho reads WebSockets through a wrapper of its own."""

            def _create_socket(self) -> Any:
                return Sieve(super()._create_socket())

            def _ssl_wrap_socket(self, tcp_sock: socket.socket) -> ssl.SSLSocket:
                """As paho's; but that one leaves a socket open on which TLS fails."""
                return _wrapped(tcp_sock, self._ssl_context, self._host)

        five = self._protocol == "5"
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._name,
            clean_session=None if five else not self._keeps_s,
            protocol=MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        client.connect_timeout = CONNECT_TIMEOUT_S
        client.max_inflight_messages = 0
        client.on_socket_open = no_delay
        if self._settings.username is not None:
            client.username_pw_set(self._settings.username, self._secrets.password)
        if self._secrets.tls is not None:
            client.tls_set_context(self._secrets.tls)
        if (will := self._will) is not None:
            client.will_set(will.topic, will.payload, qos=1, retain=True, properties=self._of_will(will))
        return client

    def _of_will(self, will: Will) -> Any:
        if self._protocol != "5" or not will.expires_s:
            return None
        from paho.mqtt.packettypes import PacketTypes
        from paho.mqtt.properties import Properties

        told: Any = Properties(PacketTypes.WILLMESSAGE)  # type: ignore[no-untyped-call]
        told.MessageExpiryInterval = will.expires_s
        return told


def no_delay(_client: paho.Client, _userdata: Any, opened: Any) -> None:
    """For ``on_socket_open``: Nagle's algorithm with delayed acknowledgements makes the whole tail of the
    latency.
    """
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _wrapped(opened: socket.socket, context: ssl.SSLContext | None, host: str) -> ssl.SSLSocket:
    """TLS over this connection, which is closed where that fails."""
    if context is None:
        raise ValueError("TLS without a context")
    try:
        wrapped = context.wrap_socket(opened, server_hostname=host, do_handshake_on_connect=False)
    except BaseException:
        opened.close()
        raise
    try:
        wrapped.settimeout(CONNECT_TIMEOUT_S)
        wrapped.do_handshake()
    except BaseException:
        wrapped.close()
        raise
    return wrapped


def close_socket(client: paho.Client) -> None:
    """Close a client's connection without DISCONNECT."""
    opened = client.socket()
    if opened is not None:
        opened.close()


def certificate_ends_s(client: paho.Client) -> float | None:
    """When the broker's certificate ends, seconds since 1970; None without TLS."""
    import ssl

    opened = client.socket()
    shown: Any = None if (certificate := getattr(opened, "getpeercert", None)) is None else certificate()
    ends = None if shown is None else shown.get("notAfter")
    return float(ssl.cert_time_to_seconds(ends)) if isinstance(ends, str) else None
