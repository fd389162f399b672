"""The tables of a journal file, and the steps that bring an older file forward. There is no way back."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.vocabulary.errors import JournalError

APPLICATION_ID = 0x44544A31
"""Stands in the header of the file: "DTJ1"."""

VERSION = 3
"""Version of the tables, in ``PRAGMA user_version``."""


class NoJournalError(JournalError):
    """A file of something else."""


_TABLES_1 = (
    # epoch; pruned_sequence and pruned_hash: the last message that was taken out.
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE records (number INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, stream INTEGER NOT NULL,"
    " body BLOB NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE messages (sequence INTEGER PRIMARY KEY, body BLOB NOT NULL, hash TEXT NOT NULL) STRICT",
    "CREATE TABLE snapshots (record INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL) STRICT",
    "CREATE TABLE cursors (consumer TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID",
)

_SEALS_2 = ("ALTER TABLE messages ADD COLUMN seal BLOB",)

_PACKED_3: tuple[str, ...] = ()
"""The tables stay as they are. A snapshot may be packed, and software that cannot unpack it refuses the file
by its version."""

STEPS: tuple[tuple[str, ...], ...] = (_TABLES_1, _SEALS_2, _PACKED_3)
"""Step n brings version n to n + 1. A step is never changed once a journal of it stands on a table."""


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables of the journal at ``path``; JournalError if the file is no journal or is
    newer than this program.
    """
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise NoJournalError(f"{path} is no journal of a dealer table")
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise JournalError(
            f"the journal {path} was written by newer software (tables of version {version}, this program"
            f" knows {VERSION}); install that software again"
        )
    return version


SHAPED = max(version for version, step in enumerate(STEPS, 1) if step)
"""From this version on the tables are shaped as today's: only what stands in them may be new."""


def migrate(connection: sqlite3.Connection, version: int, to: int = VERSION) -> None:
    """Bring the tables from ``version`` to another in one transaction; version 0 is an empty file."""
    if version >= to:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in STEPS[version:to]:
            for statement in step:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {to}")
        connection.execute("COMMIT")
    except sqlite3.Error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
