"""What nodes of RabbitMQ do not give a table, by ``doctor --broker`` through the shipped TLS and rights, and
what a board makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, cast

from controller.settings.loader import load_configuration
from controller.shell.doctor.needs import check_needs
from controller.shell.wiring.assembly import table_broker
from tests.board.played import Publisher
from tests.board.test_large_floor import ALERTS, DISPLAY, STATUS, Heard
from tests.broker_roles.rabbit_rights import user_of
from tests.broker_roles.roles import TABLE_USER, secret_of
from tests.harness.broker import Broker
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


class Node(NamedTuple):
    """Where a client of a test goes."""

    host: str
    port: int


def shown_late() -> bool:
    """A table that spoke before the board came is not there, for a wildcard gives nothing that is retained;
    with the first word that it says next all of it is."""
    cluster = RabbitCluster(1)
    try:
        cluster.start()
        node = Node("127.0.0.1", cluster.ports[0])
        base = "dealer-table/v1/north/1"
        table = Publisher(node.port)
        table.send(f"{base}/status", STATUS)
        table.send(f"{base}/display", DISPLAY)
        for alert in ALERTS:
            table.send(f"{base}/alerts/{alert}", b'{"id": "%s", "code": "%s"}' % ((alert.encode(),) * 2))
        table.retain("dealer-table/v1/south/1/status", b"")  # behind all of it
        board = Heard(cast(Broker, node))
        board.feed.start()
        try:
            board.until(lambda: board.complete)
            before = board.line("1")
            table.retain(f"{base}/status", STATUS)
            board.until(lambda: bool(board.line("1").get("known")))
            return not before
        finally:
            board.feed.stop()
            table.close()
    finally:
        cluster.stop()
