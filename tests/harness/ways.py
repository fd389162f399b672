"""How daemon and consumer come to the broker of a bad house: in plain text, or as on a floor.

Over TLS the broker has the shipped configuration and ACL, each end shows a certificate and says its password,
the daemon comes as its own table and the consumer as the settlement system. A broker that was killed comes
back as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.broker_roles.roles import Floor
from tests.harness.broker import Broker

CONSUMER = "settlement"


@dataclass(frozen=True)
class Way:
    """A broker that runs, and what each must know to be let in."""

    broker: Broker
    daemon: Mapping[str, object] = field(default_factory=dict)
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
    ours = {key: str(value) for key, value in floor.login(user, floor.certificate()).items()}
    tls = {"ca_file": ours["ca_file"], "cert_file": ours["cert_file"], "key_file": ours["cert_file"]}
    daemon = {"username": user, "password_file": ours["password_file"], "tls": tls}
    return Way(floor.broker, daemon, consumer_at(floor))


def consumer_at(floor: Floor) -> list[str | Path]:
    """Arguments of ``dealer-table consume`` at a broker as a floor runs it."""
    theirs = floor.login(CONSUMER, floor.certificate())
    theirs["key_file"] = theirs["cert_file"]
    options = [(f"--{key.replace('_', '-')}", value) for key, value in theirs.items()]
    return [word for option in options for word in option]
