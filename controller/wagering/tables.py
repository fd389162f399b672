"""The database of the wagering service: one file of SQLite, or PostgreSQL; the same statements for both.

Every change is one transaction under one lock (``BEGIN IMMEDIATE``; an advisory lock), so whatever was
committed has one order: a bet stands if it was committed before the message that closed the bets.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from controller.vocabulary.errors import ConfigurationError, DealerTableError, why

METADATA = sql.MetaData()
LOCK = 0x6465616C6572
"""The advisory lock of PostgreSQL that every writing transaction holds."""
READING = "wagering_reading"
PAYS_OUT = "wagering_pays_out"
"""The players' money is in a wallet of the house: what an account here holds is paid out there."""


class BooksError(DealerTableError):
    """The database cannot be read or written, or holds what it should not."""

    code = "books"


def in_words(error: Exception) -> str:
    """What went wrong, for people; where it is our own fault, by its name too."""
    return error.message if isinstance(error, DealerTableError) else f"{type(error).__name__}: {why(error)}"


def _table(name: str, *columns: sql.Column[Any] | sql.Index, **keywords: Any) -> sql.Table:
    return sql.Table(name, METADATA, *columns, sqlite_strict=True, **keywords)


def _text(name: str, **keywords: Any) -> sql.Column[Any]:
    return sql.Column(name, sql.Text, nullable=keywords.pop("nullable", False), **keywords)


def _minor(name: str, **keywords: Any) -> sql.Column[Any]:
    whole = sql.BigInteger().with_variant(sql.Integer, "sqlite")
    return sql.Column(name, whole, nullable=keywords.pop("nullable", False), **keywords)


STREAMS = _table(
    "streams",
    _text("site", primary_key=True),
    _text("table", primary_key=True),
    _minor("epoch"),
    _minor("sequence"),
    _text("hash"),
    _text("felt"),
    _text("key", nullable=True),
)
"""Up to where each table's stream is here, and what that made of the table (``Felt``, JSON)."""

MESSAGES = _table(
    "messages",
    _text("site", primary_key=True),
    _text("table", primary_key=True),
    _minor("epoch", primary_key=True, autoincrement=False),
    _minor("sequence", primary_key=True, autoincrement=False),
    sql.Column("body", sql.LargeBinary, nullable=False),
    _text("at", nullable=True, index=True),
)
"""The canonical messages: the evidence that ledger lines point to. ``at``: when it came; null: it is kept for
ever, as the last word on a round with bets is."""

ROUNDS = _table(
    "rounds",
    _text("round", primary_key=True),
    _text("site"),
    _text("table"),
    _text("game"),
    _text("game_number"),
    _text("opened_at"),
    _text("decisions"),
    _text("result", nullable=True),
    _text("void", nullable=True),
)
"""What a round was, for pay and history; ``result`` and ``void`` are ids of messages."""

BETS = _table(
    "bets",
    _text("id", primary_key=True),
    _text("round"),
    _text("player", index=True),
    _text("call"),
    _text("spot"),
    _minor("stake"),
    _text("offer", nullable=True),
    _text("price", nullable=True),
    _minor("betting_round"),
    _minor("number"),
    _text("state"),
    _text("result", nullable=True),
    _minor("returned", nullable=True),
    sql.Index("bets_of_round", "round", "player"),
)
"""``state``: open, undone, refunded or settled; ``number`` counts a player's bets of a round."""

DECISIONS = _table(
    "decisions",
    _text("round", primary_key=True),
    _text("player", primary_key=True),
    _text("hand", primary_key=True),
    _minor("asked", primary_key=True, autoincrement=False),
    _text("decision"),
)
"""``play``, ``fold`` or ``auto``."""

LINES = _table(
    "lines",
    _minor("id", primary_key=True, autoincrement=True),
    _text("at"),
    _text("account", index=True),
    _minor("amount"),
    _text("what"),
    _text("message", nullable=True),
    _text("call", nullable=True),
    _text("bet", nullable=True),
    _text("round", nullable=True, index=True),
)
"""The ledger: two lines for each movement. Nothing changes or deletes one."""

ACCOUNTS = _table("accounts", _text("name", primary_key=True), _minor("balance"))
"""The sum of each account's lines, kept so that a bet need not add them up; the audit does."""

CURRENCY = _table("currency", _minor("only", primary_key=True, autoincrement=False), _text("code"))
"""What all amounts are minor units of (ISO 4217): one row, written with the first bet at a table that says
it."""

CALLS = _table(
    "calls",
    _text("player", primary_key=True),
    _text("id", primary_key=True),
    _text("asked"),
    _minor("status"),
    _text("answer"),
    _text("at", nullable=True, index=True),
)
"""What was answered to each call that changes something; the same call gets the same answer."""


WALLET = _table(
    "wallet",
    _text("id", primary_key=True),
    _minor("number", unique=True),
    _text("kind"),
    _text("player", index=True),
    _minor("amount"),
    _text("state", index=True),
    _text("call", nullable=True),
    _text("asked", nullable=True),
    _text("at", nullable=True, index=True),
)
"""What the house's own wallet is asked for. ``kind``: stake (a debit that a call waits for), owed (a debit of
what was taken back), credit. ``state``: open, done, refused, undo (a rollback waits), undone."""

PURSES = _table("purses", _text("player", primary_key=True), _minor("balance"))
"""What the house's wallet last said that a player has."""

OWN_LIMITS = _table("own_limits", _text("player", primary_key=True), _text("kept"))
"""A player's own limits of a session, and the session (JSON)."""

PROFILES = _table("profiles", _text("player", primary_key=True), _text("settings"))
"""What a player has chosen for the seat (``Settings``, JSON)."""

SITTINGS = _table(
    "sittings",
    _text("site", primary_key=True),
    _text("table", primary_key=True),
    _text("player", primary_key=True),
    _text("sitting"),
)
"""Who sits where, or has left and is still to get bets back; ``sitting`` is another one each time."""


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


class Database:
    """Connections to the books; ``change`` and ``read`` may be called from any thread."""

    def __init__(self, url: str, password: str | None = None, *, pays_out: bool = False) -> None:
        """Opens, and makes what is missing; ``pays_out``: :data:`PAYS_OUT`. ConfigurationError where the
        address is none; BooksError where nobody answers."""
        try:
            address = sql.make_url(url)
        except ArgumentError as error:
            raise ConfigurationError(f"database.url: {why(error)}") from error
        kind = address.get_backend_name()
        if kind == "postgresql":
            address = address.set(drivername="postgresql+psycopg", password=password or address.password)
            self._engine = sql.create_engine(address, pool_pre_ping=True)
            sql.event.listen(self._engine, "connect", _own_schema)
        elif kind == "sqlite" and address.database:
            self._engine = sql.create_engine(address, connect_args={"timeout": 60})
            sql.event.listen(self._engine, "connect", _durable)
        else:
            raise ConfigurationError("database.url: needed is sqlite:////path/of/file.db or postgresql://...")
        sql.event.listen(self._engine, "begin", _begin_postgresql if kind == "postgresql" else _begin_sqlite)
        self._turns = Turns()
        self._engine = self._engine.execution_options(**{PAYS_OUT: pays_out})
        with self.change() as connection:
            METADATA.create_all(connection)
            _add_what_is_new(connection)

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """One transaction that may write; all others wait for it. It is durable when the block is left."""
        with self._turns, _told(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """One transaction that sees one state of the books and changes nothing."""
        reading: Engine = self._engine.execution_options(**{READING: True})
        with _told(), reading.begin() as connection:
            yield connection

    def settle(self) -> None:
        """What was committed before, and perhaps not waited for by who died then, is as safe as any commit
        when this returns: the standby of a PostgreSQL takes all in order."""
        if self._engine.dialect.name == "postgresql":
            with self.change() as connection:
                connection.exec_driver_sql("SELECT pg_logical_emit_message(true, 'dealer-table', 'settle')")

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()


def stamp(at: datetime) -> str:
    """A time as the books have it: UTC, RFC 3339, milliseconds; such texts are in order as times are."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """The present as the books have it."""
    return stamp(datetime.now(UTC))


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


def _durable(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # SQLAlchemy's own BEGIN, below, is the only one
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _own_schema(connection: Any, _record: object) -> None:
    """Our tables have a schema of their own, and a COMMIT is on disk when it is answered, whatever is usual
    at this server."""
    with connection.cursor() as cursor:
        if cursor.execute("SELECT to_regnamespace('wagering')").fetchone() == (None,):
            cursor.execute(f"SELECT pg_advisory_xact_lock({LOCK})")
            cursor.execute("CREATE SCHEMA IF NOT EXISTS wagering")
        cursor.execute("SET search_path TO wagering")
        if cursor.execute("SHOW synchronous_commit").fetchone() in (("off",), ("local",)):
            cursor.execute("SET synchronous_commit TO on")
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    reading = connection.get_execution_options().get(READING)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(READING):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    else:  # whatever is usual at this server: a state from before the lock would show money that is spent
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
