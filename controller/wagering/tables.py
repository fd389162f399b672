"""The database of the wagering service: one file of SQLite, or PostgreSQL; the same statements for both.

One service keeps the books, and all its changes are transactions of one connection, one after the other: a
bet stands if it was committed before the message that closed the bets. It may write as long as it holds a
lock: on a file beside the database, or with PostgreSQL of that connection itself. The lock ends with the
process, or the connection, that has it; a second service waits for a moment, and then says so.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg
import sqlalchemy as sql
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from controller.vocabulary.errors import ConfigurationError, DealerTableError, why
from controller.vocabulary.postgres import NOTICED, PATIENCE, make_durable

METADATA = sql.MetaData()
LOCK = 0x6465616C6572
"""The advisory lock of PostgreSQL of the connection that writes."""
TURN_S = 5
"""So long a service waits for one that ends: PostgreSQL may need a moment to notice who was killed."""
READING = "wagering_reading"
PAYS_OUT = "wagering_pays_out"
"""The players' money is in a wallet of the house: what an account here holds is paid out there."""


class BooksError(DealerTableError):
    """The database cannot be read or written, or holds what it should not."""

    code = "books"


class BooksTaken(BooksError):
    """Another service keeps the books."""

    def __init__(self) -> None:
        super().__init__("another service keeps the books of this database; only one may: end one of the two")


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
    _minor("revision", nullable=True),
    _minor("final", nullable=True),
)
"""What a round was, for pay and history; ``result`` and ``void`` are ids of messages. ``revision``: of the
result that was booked; ``final``: of the one that the table says stands."""

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
        elif kind != "sqlite" or not address.database:
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
        if self._address.get_backend_name() == "postgresql":
            self._options |= {"pool_size": 1, "max_overflow": 0}
            self._writes = self._engine_of(_take_turn)
        else:
            self._right = _locked(f"{self._address.database or ''}.lock")
            self._writes = self._engine_of(_durable)
        try:
            with self.change() as connection:
                METADATA.create_all(connection)
                _add_what_is_new(connection)
        except BaseException:
            self.close()
            raise

    @contextmanager
    def change(self) -> Iterator[Connection]:
        """One transaction that may write; all others wait for it. It is durable when the block is left.
        BooksTaken where another service writes."""
        try:
            with self._turns, _told(), self._writes.begin() as connection:
                yield connection
        except BooksTaken:
            self.taken()
            raise

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


def _durable(connection: Any) -> None:
    connection.isolation_level = None  # SQLAlchemy's own BEGIN, below, is the only one
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _locked(file: str) -> sqlite3.Connection:
    """Held until it is closed, or whoever holds it dies."""
    held = sqlite3.connect(file, timeout=TURN_S, isolation_level=None, check_same_thread=False)
    try:
        held.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        held.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise BooksError(f"{file}: {why(error)}") from error
        raise BooksTaken from error
    return held


def _take_turn(connection: Any) -> None:
    """The one connection that may write, until it ends."""
    for line in NOTICED:
        connection.execute(line)
    connection.execute(f"SET LOCAL lock_timeout TO '{TURN_S}s'")
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
    connection.exec_driver_sql("BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(READING):
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
    else:  # whatever is usual at this server
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
