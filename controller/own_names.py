"""Under which names a server of ours answers.

A page from anywhere may point a name of its own at this machine and then ask it as if it were its own
(DNS rebinding). So a server answers to addresses, to this machine's names, and to those that the house has
given it; to no other.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable


def own_names(host: str, more: Iterable[str] = ()) -> frozenset[str]:
    """The names of a server that listens at ``host``: this machine's, and ``more``."""
    machine = socket.gethostname().lower()
    short = machine.partition(".")[0]
    names = ("localhost", machine, short, f"{short}.local", host, *more)
    return frozenset(name.lower() for name in names if name)


def is_this_machine(host: str) -> bool:
    """Whether who listens at ``host`` is heard on this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def is_own(asked: str, names: frozenset[str]) -> bool:
    """Whether a ``Host`` header names this server: any address or one of its names, a port or none."""
    if asked.startswith("["):
        name, bracket, port = asked[1:].partition("]")
        if not bracket or not (port == "" or port.startswith(":")):
            return False
    else:
        name = asked.partition(":")[0]
    name = name.lower().removesuffix(".")
    if name in names:
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
