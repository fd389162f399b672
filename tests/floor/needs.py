"""What three nodes of RabbitMQ do not give a table: ``doctor --broker`` through shipped TLS and rights."""

from __future__ import annotations

from pathlib import Path

from controller.settings.loader import load_configuration
from controller.shell.doctor.needs import check_needs
from controller.shell.wiring.assembly import table_broker
from tests.broker_roles.rabbit_rights import user_of
from tests.broker_roles.roles import TABLE_USER, secret_of
from tests.harness.configuration import configured
from tests.harness.rabbit import RabbitCluster

LACKS = {"retained wildcard", "dots", "same retained"}
"""What stands on the page of brokers; as a warning each."""


def missing(folder: Path) -> dict[str, set[str]]:
    """Grade -> what is not given at one node or another. A node may still be starting when it listens."""
    cluster = RabbitCluster(users={TABLE_USER: secret_of(TABLE_USER)})
    try:
        cluster.start()
        if (shown := cluster.certificates) is None:
            raise AssertionError("it has no TLS")
        (folder / "password").write_text(secret_of(TABLE_USER))
        names = {"ca_file": shown.authority, "cert_file": shown.client, "key_file": shown.client}
        mqtt = {
            "hosts": [f"127.0.0.1:{port}" for port in cluster.ports],
            "username": user_of(TABLE_USER),
            "password_file": str(folder / "password"),
            "tls": {name: str(path) for name, path in names.items()},
        }
        shoe = 'devices.shoe = { driver = "angel-eye", port = "{folder}/shoe" }\n'
        configuration = load_configuration(configured(folder, shoe, {"mqtt": mqtt}))
        found: dict[str, set[str]] = {"warning": set(), "fault": set()}
        for finding in check_needs(configuration, table_broker(configuration)):
            if finding.grade != "ok":
                found[finding.grade].add(finding.name)
        return found
    finally:
        cluster.stop()
