"""The tables of the wagering service's books, for SQLite and PostgreSQL, and what goes wrong there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sql

from controller.vocabulary.errors import DealerTableError, why

METADATA = sql.MetaData()
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


def stamp(at: datetime) -> str:
    """A time as the books have it: UTC, RFC 3339, milliseconds; such texts are in order as times are."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def now() -> str:
    """The present as the books have it."""
    return stamp(datetime.now(UTC))
