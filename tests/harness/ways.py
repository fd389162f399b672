"""How daemon and consumer come to the broker of a bad house: in plain text, or as on a floor.

Over TLS the broker has the shipped configuration and ACL, each end shows a certificate and says its password,
the daemon comes as its own table and the consumer as the settlement system. A broker that was killed comes
back as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.broker_roles.roles import Floor, secret_of
from tests.harness.broker import Broker

CONSUMER = "settlement"


@dataclass(frozen=True)
class Way:
    """A broker that runs, and what each must know to be let in."""

    broker: Broker
    daemon: dict[str, object] = field(default_factory=dict)
    """Keys of ``[mqtt]``."""
    consumer: Sequence[str | Path] = ()
    """Arguments of ``dealer-table consume``."""


def plain(directory: Path) -> Way:
    """Whoever comes is let in."""
    broker = Broker(directory)
    broker.start()
    return Way(broker)


def over_tls(directory: Path, user: str = "north/7") -> Way:
    """As on a floor; ``user`` is the table's."""
    floor = Floor(directory, user)
    authority = directory / "ca.crt"
    ours, password = floor.certificate(), secret_file(directory / "table.password", user)
    tls = {"ca_file": str(authority), "cert_file": str(ours), "key_file": str(ours)}
    daemon = {"username": user, "password_file": str(password), "tls": tls}
    theirs, password = floor.certificate(), secret_file(directory / "consumer.password", CONSUMER)
    consumer: list[str | Path] = ["--username", CONSUMER, "--password-file", password]
    consumer += ["--ca-file", authority, "--cert-file", theirs, "--key-file", theirs]
    return Way(floor.broker, daemon, consumer)


def secret_file(path: Path, user: str) -> Path:
    """A file with a user's password, for this user's eyes only."""
    path.touch(0o600)
    path.write_text(f"{secret_of(user)}\n")
    return path
