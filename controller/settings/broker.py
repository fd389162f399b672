"""Where the broker is and where our secrets for it lie, also while the service does not run: commands of an
administrator need them too.
"""

from __future__ import annotations

import re
from pathlib import Path

from controller.outbox.broker import BrokerSettings
from controller.settings.model import MqttSettings

STORE = Path("/etc/credstore")
_OF_SERVICE = re.compile(r"/run/credentials/dealer-table@([^/]+)\.service/([^/]+)")


def broker_settings(mqtt: MqttSettings, client_id: str) -> BrokerSettings:
    """Where the broker is and how we show who we are."""
    tls = mqtt.tls
    return BrokerSettings(
        client_id=client_id,
        host=mqtt.host,
        port=mqtt.port,
        username=mqtt.username,
        password_file=secret_file(mqtt.password_file),
        ca_file=secret_file(tls.ca_file) if tls else None,
        cert_file=secret_file(tls.cert_file) if tls else None,
        key_file=secret_file(tls.key_file) if tls else None,
        keepalive_s=mqtt.keepalive_s,
    )


def secret_file(name: str | None, store: Path = STORE) -> Path | None:
    """The file that a key of the configuration names.

    A credential of the service stands under ``/run/credentials`` only while the service runs. Then
    ``replace`` and ``doctor``, run by root, take it from where the service gets it.
    """
    if name is None:
        return None
    path = Path(name)
    match = _OF_SERVICE.fullmatch(name)
    if match is None or path.exists():
        return path
    kept = store / f"dealer-table-{match[1]}.{match[2]}"
    return kept if kept.exists() else path
