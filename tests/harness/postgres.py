"""A real PostgreSQL of our own on loopback, which a test may stop, kill and start again."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

import psycopg

from tests.harness.broker import free_port
from tests.harness.patience import PATIENCE_S
from tests.harness.process import until

NOBODY = 65534
"""PostgreSQL does not run as root."""
ROOM = 4_000_000_000
"""Bytes; each database takes 8 MB, and a run has some servers with up to sixty."""


def _program(name: str) -> str:
    found = [*Path("/usr/lib/postgresql").glob(f"*/bin/{name}")]
    path = shutil.which(name) or (str(found[-1]) if found else None)
    if path is None:
        raise RuntimeError(f"{name} is not installed; run make setup-tests")
    return path


def memory() -> str | None:
    """Where files are made and removed without a disk, if there is room: a database is three hundred of them,
    and to remove those of a whole run from a busy disk takes half a minute.
    """
    there = Path("/dev/shm")
    return str(there) if there.is_dir() and shutil.disk_usage(there).free > ROOM else None


class Postgres:
    """One server with a folder of its own; it keeps its port over restarts."""

    def __init__(
        self, copied_from: Postgres | None = None, *, port: int | None = None, durable: bool = False
    ) -> None:
        """``copied_from``: the primary whose standby this is; ``durable``: a commit waits for the disk."""
        self.port = port or free_port()
        self._durable = "on" if durable else "off"
        self._folder = Path(
            tempfile.mkdtemp(prefix="dealer-table-postgres-", dir=None if durable else memory())
        )
        self._root = os.getuid() == 0
        if self._root:
            os.chown(self._folder, NOBODY, NOBODY)
        if copied_from is None:
            self._run("initdb", "--no-sync", "--auth=trust", "--username=books", "--encoding=UTF8")
        else:
            where = f"host=127.0.0.1 port={copied_from.port} user=books application_name=standby"
            self._run("pg_basebackup", "--no-sync", "-R", "--checkpoint=fast", "-d", where)
        self._databases = 0
        self._server: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        words = [_program("postgres"), "-D", str(self._folder), "-p", str(self.port), "-k", ""]
        settings = ["listen_addresses=127.0.0.1", f"fsync={self._durable}", "max_connections=50"]
        if self._durable == "off":
            settings.append("max_wal_size=128MB")  # in memory, perhaps
        for setting in settings:
            words += ["-c", setting]
        self._server = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self._user(),  # type: ignore[call-overload]
        )
        until(self._answers, "PostgreSQL answers")

    def database(self) -> str:
        """The address of a new, empty database."""
        self._databases += 1
        name = f"books{self._databases}"
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self._address(name)

    def forget(self, address: str) -> None:
        """Remove a database; who is connected to it is not any more."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            name = address.rpartition("/")[2]
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def wait_for_standby(self) -> None:
        """From here on a COMMIT is answered when the standby has it."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names TO 'standby'")
            connection.execute("SELECT pg_reload_conf()")
            synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"
            until(lambda: connection.execute(synchronous).fetchone() is not None, "the standby is in step")

    def promote(self) -> None:
        """The standby is the primary from now on, and waits for no other."""
        with psycopg.connect(self._address("postgres"), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names TO ''")
            connection.execute("SELECT pg_promote()")

    @property
    def running(self) -> bool:
        """Whether it was started and not killed."""
        return self._server is not None

    def kill(self) -> None:
        """End it at once, as a crash does: all connections end."""
        self._end(signal.SIGQUIT)

    def close(self) -> None:
        """End it and remove its folder."""
        if self._server is not None:
            self._end(signal.SIGINT)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self, number: int) -> None:
        assert self._server is not None
        self._server.send_signal(number)
        self._server.wait(PATIENCE_S)
        self._server = None

    def _address(self, name: str) -> str:
        return f"postgresql://books@127.0.0.1:{self.port}/{name}"

    def _answers(self) -> bool:
        try:
            psycopg.connect(self._address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, name: str, *words: str) -> None:
        command = [_program(name), "-D", str(self._folder), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, **self._user())  # type: ignore[call-overload]

    def _user(self) -> dict[str, object]:
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self._root else {}
