"""Where the broker is and where our secrets for it lie, also while the service does not run: commands of an
administrator need them too.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from controller.outbox.broker import BrokerSettings
from controller.settings.model import MqttSettings, Problem, TlsSettings

STORE = Path("/etc/credstore")
_OF_SERVICE = re.compile(r"/run/credentials/dealer-table[@-]([^/]+)\.service/([^/]+)")


def broker_settings(mqtt: MqttSettings, client_id: str) -> BrokerSettings:
    """Where the broker is and how we show who we are."""
    tls = mqtt.tls
    (host, port), *others = mqtt.addresses
    return BrokerSettings(
        client_id=client_id,
        host=host,
        port=port,
        others=tuple(others),
        username=mqtt.username,
        password_file=secret_file(mqtt.password_file),
        ca_file=secret_file(tls.ca_file) if tls else None,
        cert_file=secret_file(tls.cert_file) if tls else None,
        key_file=secret_file(tls.key_file) if tls else None,
        keepalive_s=mqtt.keepalive_s,
        protocol=mqtt.protocol,
    )


def broker_problems(settings: MqttSettings, key: str) -> Iterator[Problem]:
    """What does not go together in ``[mqtt]``, or in a table of the same keys that is called ``key``."""
    if settings.hosts and (settings.host, settings.port) != (MqttSettings().host, MqttSettings().port):
        yield Problem(f"{key}.hosts", f"{key}.host and {key}.port say it too; leave them out")
    for where, (_, port) in zip(settings.hosts, settings.addresses, strict=False):
        if not 1 <= port <= 65535:
            yield Problem(f"{key}.hosts", f'"{where}" is wrong; needed is a port from 1 to 65535')
        if settings.hosts.count(where) > 1:
            yield Problem(f"{key}.hosts", f'"{where}" stands there twice')
    if settings.password_file is not None and settings.username is None:
        yield Problem(f"{key}.username", f"missing; {key}.password_file is the password of somebody")
    tls = settings.tls or TlsSettings()
    if tls.cert_file is not None and tls.key_file is None:
        yield Problem(f"{key}.tls.key_file", "missing; a certificate needs its key")
    if tls.key_file is not None and tls.cert_file is None:
        yield Problem(f"{key}.tls.cert_file", "missing; a key needs its certificate")
    for name, times in Counter(settings.consumers).items():
        if times > 1:
            yield Problem(f"{key}.consumers", f'"{name}" stands there {times} times; name each consumer once')


def secret_file(name: str | None, store: Path = STORE) -> Path | None:
    """The file that a key of the configuration names.

    A credential of the service stands under ``/run/credentials`` only while the service runs. Then
    ``replace``, ``doctor`` and ``record --status``, run by root, take it from where the service gets it.
    """
    if name is None:
        return None
    path = Path(name)
    kept = kept_credential(name, store)
    return path if kept is None or os.path.exists(path) or not os.path.exists(kept) else kept


def kept_credential(name: str, store: Path = STORE) -> Path | None:
    """Where the service gets this credential of its own from; None where the file is none of those."""
    match = _OF_SERVICE.fullmatch(name)
    return None if match is None else store / f"dealer-table-{match[1]}.{match[2]}"
