"""``dealer-table record`` as a process of its own, tables that speak to it, and what the database holds."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from controller.outbox.topics import topics_of
from controller.settings.writing import toml_text
from tests.harness.broker import Broker
from tests.harness.process import PROGRAM, Program, until
from tests.journal.scratch import scratch_journal
from tests.outbox.sender import Sender


class Recorder(Program):
    """The recorder, which may be killed and started again."""

    def __init__(self, folder: Path, port: int, url: str, called: str = "recorder", **more: Any) -> None:
        self.url = url
        self.file = folder / f"{called}.toml"
        given = more.pop("broker", {})
        broker = given if "hosts" in given else {"port": port, **given}
        settings = {"sites": ["north"], "broker": broker, "database": {"url": url}, **more}
        self.file.write_text(toml_text(settings))
        super().__init__([PROGRAM, "record", "--config", self.file], folder / f"{called}.log")

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """What the database answers; nothing while it has no such table, or does not run."""
        with suppress(psycopg.errors.UndefinedTable, psycopg.OperationalError):
            return asked(self.url, query, *values)
        return []

    def recorded(self, table: str) -> list[bytes]:
        """The messages of a table of site north, in order."""
        query = 'SELECT raw FROM dealer_table.messages WHERE "table" = %s ORDER BY epoch, sequence'
        return [raw for (raw,) in self.rows(query, table)]

    def status(self, *words: str) -> subprocess.CompletedProcess[str]:
        """``record --status``."""
        call: list[str | Path] = [PROGRAM, "record", "--config", self.file, "--status", *words]
        return subprocess.run(call, capture_output=True, text=True, check=False)

    def accept(self, said: str) -> subprocess.CompletedProcess[str]:
        """``record --accept``."""
        call: list[str | Path] = [PROGRAM, "record", "--config", self.file, "--accept", said]
        return subprocess.run(call, capture_output=True, text=True, check=False)


def asked(url: str, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What the database answers."""
    with psycopg.connect(url, autocommit=True) as connection:
        return connection.execute(query, values).fetchall()


def table(broker: Broker, name: str, epoch: int = 5, **more: Any) -> Sender:
    """A table of site north that names the recorder."""
    more = {"journal": scratch_journal(epoch=epoch), "consumers": ["recorder"], **more}
    return Sender(
        broker, topics=topics_of("north", name), wall_clock=lambda: datetime.now(UTC), ack_timeout_s=2, **more
    )


def run_until(so: Callable[[], bool], tables: Sequence[Sender], recorder: Program) -> None:
    """Let all tables go on until it is so."""

    def step() -> None:
        recorder.check()
        for one in tables:
            one.step(0.005)

    until(so, lambda: recorder.log[-4000:], step)


def kept(sender: Sender) -> list[bytes]:
    """All that a table has said."""
    return [bytes(entry.body) for entry in sender.journal.messages(0, 1_000_000)]
