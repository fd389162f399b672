"""A broker as a floor runs it: the shipped configuration with certificates of this test's own authority."""

from __future__ import annotations

import datetime
import queue
import re
import ssl
from pathlib import Path
from typing import Any

import paho.mqtt.client as paho
import trustme
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion

from tests.harness.broker import Broker, leave, password_file
from tests.harness.patience import PATIENCE_S

SHIPPED = Path(__file__).resolve().parents[2] / "config" / "broker"
TABLE_USER = "north/7"
ROLES = ("controller", TABLE_USER, "display", "settlement", "recorder", "console", "monitoring")


def acl_with(path: Path, *tables: str) -> Path:
    """The shipped ACL with lines for these tables, as the page has it made."""
    table = (SHIPPED / "acl.table").read_text()
    path.write_text(
        (SHIPPED / "acl").read_text() + "".join(table.replace("SITE/TABLE", name) for name in tables)
    )
    return path


def secret_of(user: str) -> str:
    """The password of a user at this test's broker."""
    return f"secret of {user}"


BY_NAME = "use_identity_as_username true"


def shipped_lines(directory: Path, table: str, *, by_name: bool = False) -> list[str]:
    """The shipped configuration with its paths pointing into ``directory`` and without its own listener.

    ``by_name``: with the line by which the certificate alone says who a client is.
    """
    text = (SHIPPED / "mosquitto.conf").read_text()
    if by_name:
        text = text.replace(f"\n# {BY_NAME}\n", f"\n{BY_NAME}\n")
    text = text.replace("/etc/mosquitto/dealer-table.acl", str(acl_with(directory / "acl", table)))
    text = text.replace("/etc/mosquitto/dealer-table.passwords", str(directory / "passwords"))
    text = text.replace("/etc/mosquitto/certs/", f"{directory}/")
    own = re.compile(r"(listener|allow_anonymous|set_tcp_nodelay|persistence|autosave_interval) ")
    return [line for line in text.splitlines() if line and not line.startswith("#") and not own.match(line)]


class Floor:
    """A broker with TLS and the shipped ACL, and clients of every kind."""

    def __init__(self, directory: Path, table: str = TABLE_USER, *, by_name: bool = False) -> None:
        """``table``: the user of the table that the ACL has lines for. ``by_name``: see `shipped_lines`."""
        self._directory = directory
        directory.mkdir(parents=True)
        self.authority = trustme.CA()
        self.stranger = trustme.CA()
        self.authority.cert_pem.write_to_path(directory / "ca.crt")
        broker_certificate = self.authority.issue_cert("127.0.0.1")
        broker_certificate.private_key_pem.write_to_path(directory / "broker.key")
        (directory / "broker.crt").write_bytes(broker_certificate.cert_chain_pems[0].bytes())
        password_file(directory, {user: secret_of(user) for user in (*ROLES, table)})
        self.broker = Broker(
            directory, lines=shipped_lines(directory, table, by_name=by_name), anonymous=False
        )
        self.broker.start()

    def certificate(
        self, *, by: trustme.CA | None = None, expired: bool = False, name: str | None = None
    ) -> Path:
        """A client's certificate and key in one file; ``name``: whose it is."""
        long_ago = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
        issued = (by or self.authority).issue_cert(
            "client",
            common_name=name,
            not_before=long_ago,
            not_after=long_ago + datetime.timedelta(1) if expired else None,
        )
        path = self._directory / f"client-{id(issued)}.pem"
        path.write_bytes(issued.private_key_and_cert_chain_pem.bytes())
        return path

    def login(self, role: str, certificate: Path | None) -> dict[str, Any]:
        """The settings with which a part of the program comes as this role."""
        password = self._directory / f"{role.replace('/', '-')}.password"
        password.touch(0o600)
        password.write_text(f"{secret_of(role)}\n")
        ca = self._directory / "ca.crt"
        return {"username": role, "password_file": password, "ca_file": ca, "cert_file": certificate}

    def client(self, role: str, *, password: str | None = None, certificate: Path | None = None) -> Client:
        """A client; ``certificate`` None: it shows none."""
        return Client(self, role, password or secret_of(role), certificate)

    def stop(self) -> None:
        """End the broker."""
        self.broker.stop()


class Client:
    """One MQTT 5 connection that reports what the broker says to it."""

    def __init__(self, floor: Floor, role: str, password: str, certificate: Path | None) -> None:
        self.role = role
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            protocol=MQTTProtocolVersion.MQTTv5,
            reconnect_on_failure=False,
        )
        context = ssl.create_default_context()
        floor.authority.configure_trust(context)
        if certificate is not None:
            context.load_cert_chain(certificate)
        self._client.tls_set_context(context)
        self._client.username_pw_set(role, password)
        self._answers: queue.SimpleQueue[object] = queue.SimpleQueue()
        self.arrived: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._client.on_connect = lambda _c, _u, _f, reason, _p: self._answers.put(not reason.is_failure)
        self._client.on_disconnect = lambda *_: self._answers.put(False)
        self._client.on_publish = lambda _c, _u, _m, reason, _p: self._answers.put(not reason.is_failure)
        self._client.on_subscribe = lambda _c, _u, _m, reasons, _p: self._answers.put(
            not reasons[0].is_failure
        )
        self._client.on_message = lambda _c, _u, message: self.arrived.put(message.topic)
        self._where = (floor.broker.host, floor.broker.port)

    def connect(self) -> bool:
        """Whether the broker lets us in."""
        try:
            self._client.connect(*self._where)
        except OSError:
            return False
        self._client.loop_start()
        return self._answers.get(timeout=PATIENCE_S) is True

    def may_publish(self, topic: str) -> bool:
        """Whether a message is taken."""
        told = self._client.publish(topic, b"{}", qos=1)
        return told.rc == MQTTErrorCode.MQTT_ERR_SUCCESS and self._answers.get(timeout=PATIENCE_S) is True

    def publish_large(self, topic: str) -> bool:
        """Whether a message of 100,000 bytes is taken."""
        self._client.publish(topic, b"x" * 100_000, qos=1)
        return self._answers.get(timeout=PATIENCE_S) is True

    def subscribe(self, topic: str) -> None:
        """Ask for a topic; mosquitto grants it and then delivers only what the role may read."""
        self._client.subscribe(topic, qos=1)
        self._answers.get(timeout=PATIENCE_S)

    def close(self) -> None:
        """Take leave."""
        leave(self._client)
