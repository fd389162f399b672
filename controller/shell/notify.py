"""Messages to the service manager (systemd), if there is one: ready, alive, status, stopping."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable

STATUS_EVERY_S = 0.5


def notify(*lines: str, wait: bool = False) -> None:
    """Send lines such as ``READY=1``; without ``NOTIFY_SOCKET`` nothing happens.

    A manager that does not read keeps nobody waiting, since a stalled table would be worse: the lines
    are lost then, and sent again if they are sent regularly. ``wait``: for what must not be lost, such as
    that the table is ready.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
        try:
            link.setblocking(wait)
            link.connect(address)
            link.sendall("\n".join(lines).encode())
        except OSError:
            return


def watchdog_s() -> float | None:
    """The time after which the service manager ends a daemon that says nothing; None if none watches."""
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 1e6 if text.isascii() and text.isdigit() and int(text) else None


class StatusLine:
    """Says how the table is, often enough and not more often."""

    def __init__(self, status: Callable[[], str]) -> None:
        """``status``: one line for ``systemctl status``."""
        self._status = status
        self._next_s = 0.0

    def tell(self, now_s: float) -> None:
        """Call it at every step of the loop, whose words they are."""
        if now_s >= self._next_s:
            self._next_s = now_s + STATUS_EVERY_S
            notify(f"STATUS={self._status()}")
