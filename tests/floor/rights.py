"""Each role x topic at a real RabbitMQ, through its TLS, with the rights that the shipped script gives."""

from __future__ import annotations

import queue
from pathlib import Path

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from tests.broker_roles.rabbit_rights import user_of
from tests.broker_roles.roles import ROLES, secret_of
from tests.broker_roles.test_roles import MAY_READ, MAY_WRITE, TABLE, TOPICS
from tests.harness.broker import leave
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until
from tests.harness.rabbit import RabbitCluster


class Client:
    """One role's connection. After a refusal it comes anew: the broker ends it then, sooner or later."""

    def __init__(self, cluster: RabbitCluster, role: str) -> None:
        self._where = ("127.0.0.1", cluster.ports[0])
        self._certificates = cluster.certificates
        self._role = role
        self._answers: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._client = self._connected()

    def _connected(self) -> paho.Client:
        """A node listens a moment before it knows its users."""
        made: list[paho.Client | None] = []
        until(lambda: made and made[-1], f"{self._role} is let in", lambda: made.append(self._tried()))
        if made[-1] is None:
            raise AssertionError(self._role)
        return made[-1]

    def _tried(self) -> paho.Client | None:
        """None: it is not let in."""
        made = paho.Client(
            CallbackAPIVersion.VERSION2, protocol=MQTTProtocolVersion.MQTTv5, reconnect_on_failure=False
        )
        made.username_pw_set(user_of(self._role), secret_of(self._role))
        shown = self._certificates
        if shown is not None:
            made.tls_set(str(shown.authority), str(shown.client), str(shown.client))
        answers = queue.SimpleQueue[bool]()
        self._answers = answers
        made.on_connect = lambda _c, _u, _f, reason, _p: answers.put(not reason.is_failure)
        made.on_disconnect = lambda *_: answers.put(False)
        made.on_publish = lambda _c, _u, _m, reason, _p: answers.put(not reason.is_failure)
        made.on_subscribe = lambda _c, _u, _m, reasons, _p: answers.put(not reasons[0].is_failure)
        made.connect(*self._where)
        made.loop_start()
        if not answers.get(timeout=PATIENCE_S):
            leave(made)
            return None
        return made

    def _answered(self) -> bool:
        good = self._answers.get(timeout=PATIENCE_S)
        if not good:
            leave(self._client)
            self._client = self._connected()
        return good

    def may_publish(self, topic: str) -> bool:
        self._client.publish(topic, b"{}", qos=1)
        return self._answered()

    def may_read(self, topic: str) -> bool:
        self._client.subscribe(topic, qos=1)
        return self._answered()

    def close(self) -> None:
        leave(self._client)


def wrong_rights(_folder: Path) -> tuple[int, list[str]]:
    """How many pairs of role and topic were tried, and where the broker did not say what it should."""
    cluster, wrong, tried = RabbitCluster(1, users={role: secret_of(role) for role in ROLES}), [], 0
    try:
        cluster.start()
        for role in ROLES:
            client = Client(cluster, role)
            for topic in TOPICS:
                name = f"{TABLE}/{topic}"
                tried += 1
                if client.may_publish(name) != (topic in MAY_WRITE[role]):
                    wrong.append(f"{role} writes {topic}")
                if client.may_read(name) != (topic in MAY_READ[role]):
                    wrong.append(f"{role} reads {topic}")
            client.close()
    finally:
        cluster.stop()
    return tried, wrong
