"""The database of the wagering service: one file of SQLite, or PostgreSQL; the same statements for both.

One service keeps the books, and all its changes are transactions of one connection, one after the other: a
bet stands if it was committed before the message that closed the bets. It may write as long as it holds a
lock: on a file beside the database, or with PostgreSQL of that connection itself. The lock ends with the
process, or the connection, that has it; a second service waits for a moment, and then says so.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from controller.vocabulary.errors import ConfigurationError, why
from controller.vocabulary.postgres import NOTICED, PATIENCE, make_durable
from controller.wagering.tables import METADATA, PAYS_OUT, BooksError, BooksTaken

LOCK = 0x6465616C6572
"""The advisory lock of PostgreSQL of the connection that writes."""
TURN_S = 5
"""So long a service that begins waits for one that ends."""
AGAIN_S = 20
"""So long one that lost its connection waits: PostgreSQL notices within 15 s that the old one is cut off."""
READING = "wagering_reading"


class Turns:
    """Whoever waits for the one writing transaction gets it in the order of asking: a message that closes the
    bets does not wait behind calls that came after it, as it might for the lock of a file."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._next = self._now = 0

    def __enter__(self) -> None:
        with self._changed:
            mine, self._next = self._next, self._next + 1
            self._changed.wait_for(lambda: self._now == mine)

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._now += 1
            self._changed.notify_all()


class Books:
    """The books to read; ``read`` may be called from any thread."""

    def __init__(self, url: str, password: str | None = None, *, pays_out: bool = False) -> None:
        """``pays_out``: :data:`PAYS_OUT`. ConfigurationError where the address is none."""
        try:
            address = sql.make_url(url)
        except ArgumentError as error:
            raise ConfigurationError(f"database.url: {why(error)}") from error
        self._options: dict[str, Any] = {"connect_args": {"timeout": 60}}
        self._begins, connected = _begin_sqlite, _durable
        kind = address.get_backend_name()
        if kind == "postgresql":
            address = address.set(drivername="postgresql+psycopg", password=password or address.password)
            ours = {key: value for key, value in PATIENCE.items() if key not in address.query}
            self._options = {"connect_args": ours, "pool_pre_ping": True}
            self._begins, connected = _begin_postgresql, _own_schema
        elif kind != "sqlite" or address.database in (None, "", ":memory:"):
            raise ConfigurationError("database.url: needed is sqlite:////path/of/file.db or postgresql://...")
        self._address, self._own = address, {PAYS_OUT: pays_out}
        self._reads = self._engine_of(connected, **{READING: True})

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that sees one state of the books and changes nothing."""
        with _told(), self._reads.begin() as connection:
            yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self._reads.dispose()

    def _engine_of(self, connected: Callable[[Any], None], **own: bool) -> Engine:
        def begun(connection: Any, _record: object) -> None:
            try:
                connected(connection)
            except BaseException as error:  # nobody else would close it
                connection.close()
                if isinstance(error, psycopg.errors.LockNotAvailable):
                    raise BooksTaken from error
                raise

        engine = sql.create_engine(self._address, **self._options)
        sql.event.listen(engine, "connect", begun)
        sql.event.listen(engine, "begin", self._begins)
        return engine.execution_options(**self._own, **own)


class Database(Books):
    """The books of the one service that keeps them; ``change``, too, may be called from any thread."""

    def __init__(self, url: str, password: str | None = None, *, pays_out: bool = False) -> None:
        """Opens, and makes what is missing. BooksError where nobody answers; BooksTaken."""
        super().__init__(url, password, pays_out=pays_out)
        self._turns = Turns()
        self.taken: Callable[[], None] = lambda: None
        """Is called where another service has taken the books over."""
        self._right: sqlite3.Connection | None = None
        self._turn_s = TURN_S
        self.lost = False
        """Another service keeps the books: nothing is written any more."""
        if self._address.get_backend_name() == "postgresql":
            self._options |= {"pool_size": 1, "max_overflow": 0}
            self._writes = self._engine_of(lambda connection: _take_turn(connection, self._turn_s))
        else:
            self._right = _locked(f"{os.path.realpath(self._address.database or '')}.lock")
            self._writes = self._engine_of(_durable)
        try:
            with self.change() as connection:
                METADATA.create_all(connection)
                _add_what_is_new(connection)
        except BaseException:
            self.close()
            raise
        self._turn_s = AGAIN_S

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """One transaction that may write; all others wait for it. It is durable when the block is left.
        BooksTaken where another service writes."""
        try:
            with self._turns:
                if self.lost:
                    raise BooksTaken
                with _told(), self._writes.begin() as connection:
                    yield connection
        except BooksTaken:
            self.lost = True
            self.taken()
            raise

    def look(self) -> None:
        """Notice a connection that was lost, and who has taken the books since, though nothing changes."""
        if self._right is None:
            with self.change():
                pass

    def settle(self) -> None:
        """What was committed before, and perhaps not waited for by who died then, is as safe as any commit
        when this returns: the standby of a PostgreSQL takes all in order."""
        if self._right is None:
            with self.change() as connection:
                connection.exec_driver_sql("SELECT pg_logical_emit_message(true, 'dealer-table', 'settle')")

    def close(self) -> None:
        """Let go of all connections, and of the right to write."""
        super().close()
        self._writes.dispose()
        if self._right is not None:
            self._right.close()


def _add_what_is_new(connection: Connection) -> None:
    """Columns and indexes that books of an earlier version have not; a new column is empty in old rows. An
    index that nothing needs any more goes."""
    connection.exec_driver_sql("DROP INDEX IF EXISTS ix_bets_round")
    looking = sql.inspect(connection)
    for table in METADATA.sorted_tables:
        known = {column["name"] for column in looking.get_columns(table.name)}
        for column in table.columns:
            if column.name not in known:
                kind = column.type.compile(connection.dialect)
                connection.exec_driver_sql(f'ALTER TABLE "{table.name}" ADD COLUMN "{column.name}" {kind}')
        for index in table.indexes:
            index.create(connection, checkfirst=True)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except SQLAlchemyError as error:
        raise BooksError(f"the database of the books: {why(error)}") from error


def _durable(connection: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's own BEGIN, below, is the only one
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _locked(file: str) -> sqlite3.Connection:
    """Held until it is closed, or whoever holds it dies."""
    held: sqlite3.Connection | None = None
    try:
        held = sqlite3.connect(file, timeout=TURN_S, isolation_level=None, check_same_thread=False)
        held.execute("BEGIN")
        held.execute("PRAGMA user_version = 1")  # a lock that is asked for without a write may be shared
    except sqlite3.Error as error:
        if held is not None:
            held.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            raise BooksTaken from error
        raise BooksError(f"cannot lock the books: {file}: {why(error)}") from error
    return held


def _take_turn(connection: Any, wait_s: int) -> None:
    """The one connection that may write, until it ends."""
    for line in NOTICED:
        connection.execute(line)
    connection.execute("SET LOCAL statement_timeout TO 0")
    connection.execute(f"SET LOCAL lock_timeout TO '{wait_s}s'")
    connection.execute(f"SELECT pg_advisory_lock({LOCK})")
    if connection.execute("SELECT to_regnamespace('wagering')").fetchone() == (None,):
        connection.execute("CREATE SCHEMA wagering")
    make_durable(connection)
    _own_schema(connection)


def _own_schema(connection: Any) -> None:
    """Our tables have a schema of their own."""
    connection.execute("SET search_path TO wagering")
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get(READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")  # waits for a stranger's tool


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(READING):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    else:  # whatever is usual at this server
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
