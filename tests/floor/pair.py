"""A primary and its synchronous standby, on two ports that stay: one dies, the other takes over, and a new
standby is copied from it."""

from __future__ import annotations

from contextlib import closing
from typing import Self

import psycopg

from tests.harness.broker import free_port
from tests.harness.postgres import Postgres


class Pair:
    """Two servers of PostgreSQL; a COMMIT is answered when both have it."""

    def __init__(self) -> None:
        self.primary = Postgres(durable=True)
        self._name = self.primary.database().rpartition("/")[2]
        self.standby: Postgres = Postgres(self.primary, port=free_port(), durable=True)
        self.primary.wait_for_standby()
        ports = self.primary.port, self.standby.port
        self.url = f"postgresql://books@{','.join(f'127.0.0.1:{port}' for port in ports)}/{self._name}"
        self.here = f"postgresql://books@127.0.0.1:{{}}/{self._name}"
        self.failovers = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for server in (self.primary, self.standby):
            server.close()

    def kill_primary(self) -> None:
        """The standby takes over; returns when it has a standby of its own."""
        port, dead = self.primary.port, self.primary
        dead.kill()
        dead.close()
        self.primary = self.standby
        self.primary.promote()
        self.standby = Postgres(self.primary, port=port, durable=True)
        self.primary.wait_for_standby()
        self.failovers += 1

    def connect(self) -> closing[psycopg.Connection[tuple[object, ...]]]:
        """To the primary."""
        return closing(psycopg.connect(self.here.format(self.primary.port), autocommit=True))
