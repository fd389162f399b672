"""The database of a floor's record: one connection, which is also the right to write.

Who holds the advisory lock of a recorder's name records; it ends with the connection that everything is
written over, so no two ever write. A second recorder of that name waits for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from controller.recorder.settings import DatabaseKeys
from controller.settings.broker import secret_file
from controller.vocabulary.errors import ConfigurationError, DealerTableError
from controller.vocabulary.outside import secret_in
from controller.vocabulary.postgres import NOTICED, PATIENCE, make_durable

SCHEMA = "dealer_table"
LOCK = 0x6465616C
"""The first half of our advisory locks: ours and nobody else's."""
MIGRATING = 0
"""The second half while the schema is changed; else it is made of the recorder's name."""
MIGRATIONS = files("controller.recorder") / "migrations"
SESSION = (
    "SET timezone TO 'UTC'",
    "SET statement_timeout TO 0",
    *NOTICED,
    "SET lock_timeout TO '30s'",
)

Connection = psycopg.Connection[tuple[Any, ...]]


class RecordError(DealerTableError):
    """The database cannot be read or written, or holds what it should not."""

    code = "record"


def connect(keys: DatabaseKeys, purpose: str) -> Connection:
    """A connection, each statement a transaction of its own unless somebody says more.

    ConfigurationError where the address is none; RecordError where nobody answers there.
    """
    password = None
    if (file := secret_file(keys.password_file)) is not None:
        password = secret_in("database.password_file", file)
    try:
        given = conninfo_to_dict(keys.url)
        more = {} if password is None else {"password": password}
        where = make_conninfo(**{**PATIENCE, "application_name": purpose, **given, **more})
    except psycopg.ProgrammingError as error:
        raise ConfigurationError(f"database.url: {str(error).strip()}") from error
    with told():
        connection = psycopg.connect(where, autocommit=True)
        try:
            for line in SESSION:
                connection.execute(line)
            make_durable(connection)
        except BaseException:
            connection.close()
            raise
    return connection


@contextlib.contextmanager
def told() -> Iterator[None]:
    """What the database says in vain is a RecordError, in words for people."""
    try:
        yield
    except psycopg.Error as error:
        raise RecordError(f"the database: {_words(error)}") from error


MENDS = {
    "no password supplied": "name its file in database.password_file",
    "password authentication failed": "database.password_file should hold that user's",
    "Peer authentication failed": "name a host in database.url, or run as that user of the machine",
}
"""What PostgreSQL says of who may not connect -> what to mend."""


def _words(error: psycopg.Error) -> str:
    lines = str(error).removeprefix("connection failed: ").splitlines()
    said = ". ".join(" ".join(line.split()) for line in lines if line.strip()) or type(error).__name__
    return "; ".join((said, *(mend for words, mend in MENDS.items() if words in said)))


@contextlib.contextmanager
def committed(connection: Connection) -> Iterator[None]:
    """One transaction, durable wherever the server has it to be when the block is left; RecordError where the
    server says that it did not wait for its standby, another psycopg.Error where it is not known."""
    warned: list[str] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warned.append(notice.message_primary or "")

    connection.add_notice_handler(hear)
    try:
        with connection.transaction():
            yield
    finally:
        connection.remove_notice_handler(hear)
    if warned:
        raise RecordError(f"the database committed with a warning: {warned[0]}")


def settle(connection: Connection) -> None:
    """What was committed before, and perhaps not waited for by who died then, is as safe as any commit when
    this returns: a synchronous standby takes all in order."""
    with told(), committed(connection):
        connection.execute("SELECT pg_logical_emit_message(true, 'dealer-table', 'settle')")


def may_record(connection: Connection, name: str) -> bool:
    """Take the right to record under this name; whether nobody else has it."""
    with told():
        answer = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (LOCK, name)).fetchone()
    return answer == (True,)


def is_recording(connection: Connection, name: str) -> bool:
    """Whether anybody has the right to record under this name; it is not taken."""
    with told():
        answer = connection.execute(
            "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 2"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            " AND classid = %s AND objid::bigint = hashtext(%s)::bigint & 4294967295)",
            (LOCK, name),
        ).fetchone()
    return answer == (True,)


def migrate(connection: Connection) -> None:
    """Make the schema, or bring it up to date: one transaction. RecordError where a later program has been
    here."""
    with told(), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK, MIGRATING))
        if connection.execute("SELECT to_regclass('dealer_table.migrations')").fetchone() == (None,):
            connection.execute("CREATE SCHEMA IF NOT EXISTS dealer_table")
            connection.execute(
                "CREATE TABLE dealer_table.migrations (number integer PRIMARY KEY, name text NOT NULL,"
                " at timestamptz NOT NULL DEFAULT now())"
            )
        done = {number for (number,) in connection.execute("SELECT number FROM dealer_table.migrations")}
        known = {int(name.partition("_")[0]): name for name in migrations()}
        if done - set(known):
            raise RecordError(
                f"the database was changed by a later version (migration {max(done)}): run that one"
            )
        for number in sorted(set(known) - done):
            connection.execute((MIGRATIONS / known[number]).read_bytes())
            connection.execute(
                "INSERT INTO dealer_table.migrations (number, name) VALUES (%s, %s)", (number, known[number])
            )


def migrations() -> list[str]:
    """The files, in order; each begins with its number."""
    return sorted(file.name for file in MIGRATIONS.iterdir() if file.name.endswith(".sql"))


# One table a month


def month_of(at: datetime) -> datetime:
    """The beginning of a month, UTC."""
    return at.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def month_after(month: datetime) -> datetime:
    """The beginning of the next one."""
    return month_of(month + timedelta(days=32))


def month_table(month: datetime) -> str:
    """Its name in the schema."""
    return f"messages_{month:%Y_%m}"


def make_month(connection: Connection, month: datetime) -> None:
    """The table for what is recorded in this month, where it is not there yet."""
    name = sql.Identifier(SCHEMA, month_table(month))
    if connection.execute("SELECT to_regclass(%s)", (f"{SCHEMA}.{month_table(month)}",)).fetchone() != (
        None,
    ):
        return
    connection.execute(
        sql.SQL(
            "CREATE TABLE {} (LIKE dealer_table.messages INCLUDING ALL,"
            " CHECK (recorded_at >= {} AND recorded_at < {})) INHERITS (dealer_table.messages)"
        ).format(name, sql.Literal(month), sql.Literal(month_after(month)))
    )


def months(connection: Connection) -> list[datetime]:
    """The months that have a table."""
    rows = connection.execute(
        "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
        " WHERE i.inhparent = 'dealer_table.messages'::regclass ORDER BY c.relname"
    ).fetchall()
    found = []
    for (name,) in rows:
        with contextlib.suppress(ValueError):
            found.append(datetime.strptime(name, "messages_%Y_%m").replace(tzinfo=UTC))
    return found


def forget(connection: Connection, keep: int, now: datetime) -> list[str]:
    """Drop the months before the last ``keep`` whole ones; their names. What is gone is no gap. A clock of
    ours that leaps into another year drops nothing: the newest message says, by its table's clock, what year
    it is."""
    [last] = connection.execute("SELECT max(last_time) FROM dealer_table.tables").fetchone() or (None,)
    oldest = month_of(now if last is None else min(now, last))
    for _ in range(keep):
        oldest = month_of(oldest - timedelta(days=1))
    dropped = []
    for month in months(connection):
        if month < oldest:
            name = sql.Identifier(SCHEMA, month_table(month))
            with connection.transaction():
                connection.execute(
                    sql.SQL(
                        "UPDATE dealer_table.streams s SET after = greatest(s.after, d.last) FROM"
                        ' (SELECT site, "table", epoch, max(sequence) AS last FROM {} GROUP BY 1, 2, 3) d'
                        ' WHERE s.site = d.site AND s."table" = d."table" AND s.epoch = d.epoch'
                    ).format(name)
                )
                connection.execute(sql.SQL("DROP TABLE {}").format(name))
            dropped.append(month_table(month))
    return dropped
