"""A connection with PostgreSQL on which money or a record hangs: how a network that is cut is noticed at both
ends, and that a COMMIT which is answered is on disk.
"""

from __future__ import annotations

from typing import Any

PATIENCE: dict[str, Any] = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
    "target_session_attrs": "read-write",
}
"""A server that is cut off is noticed; of several the one that may be written to is taken."""
NOTICED = (
    "SET tcp_keepalives_idle TO 5",  # the server, too, notices who is cut off, and frees the locks
    "SET tcp_keepalives_interval TO 2",
    "SET tcp_keepalives_count TO 3",
    "SET tcp_user_timeout TO 15000",  # an answer that was under way would hold them for a quarter of an hour
)


def make_durable(connection: Any) -> None:
    """Whatever is usual at this server; a wait for its standby stays one."""
    if connection.execute("SHOW synchronous_commit").fetchone() in (("off",), ("local",)):
        connection.execute("SET synchronous_commit TO on")
