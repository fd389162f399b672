"""The session with the broker: one connection after the other, through paho's calls for an external loop.

To connect takes time, so a short-lived thread does only that, and hands the client over. From then on it
belongs to the one thread that owns the session, which reads, writes and keeps it alive in ``serve``; nothing
is locked, and nothing waits for another thread. The owner waits for what ``interest`` names, beside whatever
else it waits for, or in ``wait``.

A broker that is absent, refuses or dies is a report, and is tried again when the owner opens the next
connection; only wrong settings raise. Always QoS 1, no topic alias; the outbox is the queue, not paho, so
nothing is published before ``Connected``.
"""

from __future__ import annotations

import math
import select
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from controller.outbox.attempts import Attempts
from controller.outbox.broker import BrokerSettings, Will, read_password, tls_context
from controller.outbox.connector import Connector, Secrets, certificate_ends_s, close_socket
from controller.outbox.reports import (
    Arrived,
    Connected,
    ConnectionLost,
    ConnectionRefused,
    Puback,
    Report,
    Subscribed,
    Unsubscribed,
)

if TYPE_CHECKING:
    import paho.mqtt.client as paho
    from paho.mqtt.reasoncodes import ReasonCode

Down = TypeVar("Down", bound=ConnectionLost | ConnectionRefused)

LEAVE_TIMEOUT_S = 2.0
WINDOW = 64
"""Messages in flight at most; a broker may want fewer (MQTT 5, Receive Maximum)."""
MOST_READS = 256
"""So often a connection is read at once at most, so that one that never falls silent holds nothing up."""

NO_ANSWER = "the broker does not answer to CONNECT"
SUBACK_TIMEOUT_S = 60.0
"""Long: a cluster that has lost a node answers a thousand tables late, and who asks anew makes it later."""
NOT_HEARD = "the broker does not answer to SUBSCRIBE"
BROKER_FAILS = (0x80, 0x83)
"""Reasons of a SUBACK in MQTT 5 (unspecified, implementation specific) that name no right: a node fails, or
has just come back. We would be deaf on that connection, and take its silence for that of who should speak."""
MOST_DEAF = 10
"""So many connections in a row are given up for that: the broker may mean a right that is missing, after
all."""
NO_MATCHING_SUBSCRIBERS = 0x10
UNSUPPORTED_PROTOCOL_VERSION = 0x84
SUCCESS = 0
"""What paho returns for a call that it could do (``MQTT_ERR_SUCCESS``)."""


class Session:
    """With one broker. All calls come from one thread; times are monotonic seconds."""

    def __init__(self, settings: BrokerSettings) -> None:
        """ConfigurationError where a file that the settings name cannot be used."""
        self.attempts = Attempts(settings.protocol)
        self.connected = False
        """The broker has let us in."""
        self._brokers = settings.each
        self._turn = 0
        """Which of them is tried next, or was taken."""
        self._secrets = Secrets(read_password(settings), tls_context(settings))
        self._connector: Connector | None = None
        self._client: paho.Client | None = None
        self._readable = select.poll()
        self._unread = False
        """More has come than was read at once."""
        self._filters: tuple[str, ...] = ()
        self._asked_s: float | None = None
        """Since when a SUBSCRIBE has waited for its answer; infinite: since the next look at the clock."""
        self._deaf = 0
        """Connections in a row on which the broker could not let us hear."""
        self._reports: list[Report] = []
        self._told: dict[tuple[str | None, int], Any] = {}
        """Properties that say what a message is, and how long it counts."""

    # One connection after the other

    def open(self, now_s: float, will: Will | None = None, also_named: str = "", keeps_s: int = 0) -> None:
        """Reach for the broker; what comes of it is reported.

        ``also_named`` is added to our name at the broker: then it takes no other connection's place. So many
        seconds the broker ``keeps_s`` for that name what it subscribed to, once the connection has ended.
        """
        self.hang_up()
        self.attempts.begin(now_s)
        protocol = self.attempts.protocol
        self._connector = Connector(self.broker, self._secrets, protocol, will, also_named, keeps_s)

    @property
    def several(self) -> bool:
        """Whether there are other brokers, which may keep what this one does not."""
        return len(self._brokers) > 1

    @property
    def broker(self) -> BrokerSettings:
        """The broker that we are connected to, or try next."""
        return self._brokers[self._turn % len(self._brokers)]

    def serve(self, now_s: float) -> list[Report]:
        """Read what has come, write what waits, keep the connection alive; what happened, in order."""
        if self._connector is not None:
            self._take_over(self._connector)
        if self._client is not None:
            self._exchange(self._client)
        if not self.connected and not self._reports and self.attempts.unanswered(now_s):
            self._reports.append(ConnectionLost(NO_ANSWER))
        if self._asked_s is not None and not self._unread:
            self._asked_s = min(self._asked_s, now_s)
            if now_s - self._asked_s >= SUBACK_TIMEOUT_S:
                self._reports.append(ConnectionLost(NOT_HEARD))
        reports, self._reports = self._reports, []
        for number, report in enumerate(reports):
            if isinstance(report, ConnectionRefused | ConnectionLost):
                return [*reports[:number], self._ended(report, now_s)]
        return reports

    def break_off(self, reason: str, now_s: float, *, elsewhere: bool = False) -> ConnectionLost:
        """End a connection that is worth nothing any more; the next one may follow as after a loss, or
        ``elsewhere`` if there are several brokers."""
        here = self._turn
        report = self._ended(ConnectionLost(reason), now_s)
        if elsewhere:
            self._turn = here + 1
        return report

    def hang_up(self) -> None:
        """Hang up without DISCONNECT: the broker publishes the will. Nothing more is reported of it."""
        connector, self._connector = self._connector, None
        client, self._client = self._client, None
        self.connected = self._unread = False
        self.attempts.opened_s = None
        self._filters, self._reports, self._asked_s = (), [], None
        if connector is not None:
            connector.abandon()
        if client is not None:
            close_socket(client)

    def leave(self, farewell: Will | None = None) -> None:
        """Publish the farewell, retained, and DISCONNECT, so that there is no will; within seconds.

        A socket that is closed with something unread in it is reset, the broker may miss the DISCONNECT then
        and publish the will: so we ask for nothing more, and the farewell's answer is the last thing that
        comes.
        """
        client = self._client
        if client is not None and self.connected:
            if farewell is not None:
                if self._filters:
                    client.unsubscribe(list(self._filters))
                mid = self.publish(farewell.topic, farewell.payload, retain=True)
                self._exchange_until(client, lambda: self._answered(mid))
            client.disconnect()
            self._exchange_until(client, lambda: client.socket() is None)
        self.hang_up()

    # Sending

    def subscribe(
        self, filters: Sequence[str], qos: Literal[0, 1] = 1, *, spoken: Sequence[str] = ()
    ) -> None:
        """One SUBSCRIBE; the answer is reported. Ask again when the one before is answered.

        ``spoken``: filters of which MQTT 5 gives what is said now alone, and whether it is retained.
        """
        self._filters = tuple(filters)
        if self._client is not None and self._asked_s is None:
            self._asked_s = math.inf  # who asks again while nobody answers waits no longer for that
        if self._client is not None and self.attempts.protocol == "5":
            from paho.mqtt.subscribeoptions import SubscribeOptions

            as_kept = SubscribeOptions(qos)
            as_said = SubscribeOptions(
                qos, retainAsPublished=True, retainHandling=SubscribeOptions.RETAIN_DO_NOT_SEND
            )
            self._client.subscribe([(name, as_said if name in spoken else as_kept) for name in filters])
        elif self._client is not None:
            self._client.subscribe([(name, int(qos)) for name in filters])

    def unsubscribe(self, *topics: str) -> None:
        """One UNSUBSCRIBE; the answer is reported."""
        if self._client is not None:
            self._client.unsubscribe(list(topics))

    def publish(
        self,
        topic: str,
        payload: bytes | None,
        *,
        retain: bool = False,
        content: str | None = None,
        expires_s: int = 0,
    ) -> int | None:
        """Publish with QoS 1, at once as far as the socket takes it; the message's number, or None where the
        connection has just gone. What a broker of MQTT 5 is told: ``content``, what it is; ``expires_s``,
        after how long it is forgotten, 0 for never."""
        if self._client is None:
            return None
        told = self._client.publish(
            topic, payload, qos=1, retain=retain, properties=self._properties(content, expires_s)
        )
        return told.mid if told.rc == SUCCESS else None

    def _properties(self, content: str | None, expires_s: int) -> Any:
        if self.attempts.protocol != "5" or not (content or expires_s):
            return None
        key = content, expires_s
        if key not in self._told:
            from paho.mqtt.packettypes import PacketTypes
            from paho.mqtt.properties import Properties

            told: Any = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
            if content:
                told.ContentType = content
            if expires_s:
                told.MessageExpiryInterval = expires_s
            self._told[key] = told
        return self._told[key]

    # Waiting

    def interest(self) -> tuple[int, int] | None:
        """The descriptor to wait for before the next ``serve``, and for what (``select.POLLIN`` ...)."""
        if self._connector is not None:
            return self._connector.bell, select.POLLIN
        opened = None if self._client is None else self._client.socket()
        if self._client is None or opened is None:
            return None
        return opened.fileno(), select.POLLIN | (select.POLLOUT if self._client.want_write() else 0)

    @property
    def unread(self) -> bool:
        """Whether ``serve`` has something to say without any waiting."""
        return self._unread or bool(self._reports)

    def wait(self, wait_s: float) -> None:
        """Wait until there is something to ``serve``, so many seconds at most."""
        if not self._reports:
            self._wait(wait_s)

    def reports(self, patience_s: float) -> Iterator[Report]:
        """What happens, for who has nothing else to wait for; ends when nothing has for so long."""
        ends_s = time.monotonic() + patience_s
        while (left_s := ends_s - time.monotonic()) > 0:
            self.wait(left_s)
            for report in self.serve(time.monotonic()):
                yield report
                ends_s = time.monotonic() + patience_s

    # Inside

    def _wait(self, wait_s: float) -> None:
        waiting = select.poll()
        if (interest := self.interest()) is not None:
            waiting.register(*interest)
        waiting.poll(0 if self._unread else wait_s * 1000)

    def _take_over(self, connector: Connector) -> None:
        """The client is connected and ours from now on, or the reason is reported."""
        outcome = connector.outcome()
        if outcome is None:
            return
        self._connector = None
        if isinstance(outcome, ConnectionRefused | ConnectionLost):
            self._reports.append(outcome)
            return
        self._client = client = outcome
        if (opened := client.socket()) is not None:
            self._readable = select.poll()
            self._readable.register(opened.fileno(), select.POLLIN)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_publish = self._on_publish
        client.on_subscribe = self._on_subscribe
        client.on_unsubscribe = lambda *_: self._reports.append(Unsubscribed())
        client.on_message = self._on_message

    def _exchange(self, client: paho.Client) -> None:
        try:
            if client.want_write():
                client.loop_write()
            self._unread = self._read(client)
            client.loop_misc()
        except Exception as error:  # what paho did not expect of a broker ends the connection, never the loop
            self._reports.append(ConnectionLost(f"the broker cannot be understood: {type(error).__name__}"))

    def _read(self, client: paho.Client) -> bool:
        """Read packet by packet; whether there is still more."""
        for _ in range(MOST_READS):
            if (opened := client.socket()) is None:
                return False
            held = getattr(opened, "pending", None)  # TLS may hold bytes that no descriptor tells of
            if not self._readable.poll(0) and not (held is not None and held()):
                return False
            if client.loop_read() != SUCCESS:
                return False
        return True

    def _exchange_until(self, client: paho.Client, done: Callable[[], bool]) -> None:
        """Wait for a moment for what must still leave or come."""
        ends_s = time.monotonic() + LEAVE_TIMEOUT_S
        while not done() and client.socket() is not None and (left_s := ends_s - time.monotonic()) > 0:
            self._wait(left_s)
            self._exchange(client)

    def _answered(self, mid: int | None) -> bool:
        return any(isinstance(report, Puback) and report.mid == mid for report in self._reports)

    def _ended(self, report: Down, now_s: float) -> Down:
        """The attempt failed, or the connection ended; the same with what came of the other brokers."""
        self.attempts.end(report, now_s, where=self.broker.where, was_connected=self.connected)
        self._turn += not self.attempts.again
        self.hang_up()
        return msgspec.structs.replace(report, reason=self.attempts.why)

    # What paho calls within the calls above

    def _on_connect(self, client: paho.Client, _: Any, __: Any, reason: ReasonCode, properties: Any) -> None:
        if reason.is_failure:
            unsupported = reason.value == UNSUPPORTED_PROTOCOL_VERSION
            self._reports.append(ConnectionRefused(str(reason), unsupported))
            return
        self.connected = True
        self.attempts.let_in(self.broker.where)
        window = min(getattr(properties, "ReceiveMaximum", WINDOW), WINDOW)
        self._reports.append(Connected(window, self.attempts.protocol, certificate_ends_s(client)))

    def _on_disconnect(
        self, _: Any, __: Any, flags: paho.DisconnectFlags, reason: ReasonCode, ___: Any
    ) -> None:
        lost = "connection lost"  # paho's reason for that is "Unspecified error"
        if flags.is_disconnect_packet_from_server:
            lost = f"the broker ended the connection: {reason}"
        self._reports.append(ConnectionLost(lost, silent=not self.connected))

    def _on_publish(self, _: Any, __: Any, mid: int, reason: ReasonCode, ___: Any) -> None:
        denied = str(reason) if reason.is_failure else None
        self._reports.append(Puback(mid, denied, nobody=reason.value == NO_MATCHING_SUBSCRIBERS))

    def _on_subscribe(self, _: Any, __: Any, ___: Any, reasons: list[ReasonCode], ____: Any) -> None:
        self._asked_s = None
        fails = [reason for reason in reasons if reason.value in BROKER_FAILS]
        self._deaf = self._deaf + 1 if fails and self.attempts.protocol == "5" else 0
        if 0 < self._deaf <= MOST_DEAF:
            self._reports.append(ConnectionRefused(f"the broker cannot let us hear anything: {fails[0]}"))
            return
        answers = zip(self._filters, reasons, strict=False)
        denied = {topic: str(reason) for topic, reason in answers if reason.is_failure}
        granted = [reason.value for reason in reasons if not reason.is_failure]
        self._reports.append(Subscribed(denied, min(granted, default=1)))

    def _on_message(self, _: Any, __: Any, message: paho.MQTTMessage) -> None:
        self._reports.append(Arrived(message.topic, bytes(message.payload), message.retain))
