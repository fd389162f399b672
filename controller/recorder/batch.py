"""What one transaction writes: messages of many tables, up to where each stream is, and what was noticed."""

from __future__ import annotations

import re
from datetime import datetime
from operator import itemgetter

import msgspec
from psycopg import sql
from psycopg.types.json import Jsonb

from controller.consumer.store import Cursor, Taken
from controller.outbox.envelope import message_hash
from controller.outbox.retained import Status
from controller.recorder.database import (
    SCHEMA,
    Connection,
    RecordError,
    committed,
    make_month,
    month_of,
    month_table,
)

Place = tuple[str, str]
"""Site and table."""
CHANNEL = "dealer_table"
"""Who listens is notified of each table's progress when it is committed: JSON."""
COLUMNS = {
    "site": "text",
    "table": "text",
    "epoch": "int8",
    "sequence": "int8",
    "id": "text",
    "type": "text",
    "round": "text",
    "time": "timestamptz",
    "hash": "text",
    "body": "jsonb",
    "raw": "bytea",
    "recorded_at": "timestamptz",
}
_ESCAPE = re.compile(rb"\\(?:u0000|.)")
_MOVED = """
UPDATE dealer_table.streams s
SET sequence = n.sequence, hash = n.hash, key = n.key, head = greatest(s.head, n.head, n.sequence)
FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
    %s::bigint[]) AS n(site, "table", epoch, was, sequence, hash, key, head)
WHERE s.site = n.site AND s."table" = n."table" AND s.epoch = n.epoch AND s.sequence = n.was
"""
_BEGUN = """
INSERT INTO dealer_table.streams (site, "table", epoch, after, sequence, hash, key, head)
SELECT n.site, n."table", n.epoch, n.was, n.sequence, n.hash, n.key, greatest(n.head, n.sequence)
FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::text[],
    %s::bigint[]) AS n(site, "table", epoch, was, sequence, hash, key, head)
ON CONFLICT DO NOTHING
"""
_SEEN = """
INSERT INTO dealer_table.seen (site, "table", state, boot, version, digest, epoch, seen_at)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::text[], %s::text[], %s::bigint[],
    %s::timestamptz[])
ON CONFLICT (site, "table") DO UPDATE SET state = excluded.state, boot = excluded.boot,
    version = excluded.version, digest = excluded.digest, epoch = excluded.epoch, seen_at = excluded.seen_at
"""
_ALARM = """
INSERT INTO dealer_table.alarms (site, "table", code, message) VALUES (%s, %s, %s, %s)
ON CONFLICT (site, "table", code) DO UPDATE
SET message = excluded.message, times = alarms.times + 1, last_at = now()
"""
_TELL = f"SELECT pg_notify('{CHANNEL}', told) FROM unnest(%s::text[]) AS n(told)"


class Move(msgspec.Struct):
    """How far one stream goes in this transaction."""

    was: int
    sequence: int
    hash: str
    key: str
    head: int
    begins: bool


class Batch:
    """What waits to be written. One owner, one thread."""

    def __init__(self) -> None:
        self.rows: dict[Place, list[Taken]] = {}
        self.moves: dict[tuple[str, str, int], Move] = {}
        self.seen: dict[Place, tuple[Status, datetime]] = {}
        self.alarms: dict[tuple[str, str, str], str] = {}
        self.count = 0
        """Messages."""

    def __bool__(self) -> bool:
        return bool(self.moves or self.seen or self.alarms)

    def take(self, place: Place, new: list[Taken], was: Cursor | None, cursor: Cursor) -> None:
        """These messages of a table, and that its stream is then at ``cursor``."""
        begins = was is None or was.epoch != cursor.epoch
        move = self.moves.get((*place, cursor.epoch))
        if move is None:
            from_ = cursor.sequence if was is None or begins else was.sequence
            move = Move(from_, cursor.sequence, cursor.hash, cursor.key, 0, begins)
            self.moves[(*place, cursor.epoch)] = move
        move.sequence, move.hash, move.key = cursor.sequence, cursor.hash, cursor.key
        if new:
            self.rows.setdefault(place, []).extend(new)
            self.count += len(new)

    def head(self, place: Place, cursor: Cursor, head: int) -> None:
        """Up to where the table has spoken."""
        move = self.moves.get((*place, cursor.epoch))
        if move is None:
            move = Move(cursor.sequence, cursor.sequence, cursor.hash, cursor.key, 0, begins=False)
            self.moves[(*place, cursor.epoch)] = move
        move.head = max(move.head, head)

    def places(self) -> set[Place]:
        """The tables of which something new is in it."""
        return {(site, table) for site, table, _ in self.moves}

    def everywhere(self) -> set[Place]:
        """The tables that it has anything of."""
        return self.places() | set(self.seen) | {(site, table) for site, table, _ in self.alarms}

    def clear(self) -> None:
        """It is written."""
        self.rows.clear()
        self.moves.clear()
        self.seen.clear()
        self.alarms.clear()
        self.count = 0

    def alone(self, place: Place) -> Batch:
        """What it has of one table."""
        part = Batch()
        part.moves = {key: move for key, move in self.moves.items() if key[:2] == place}
        part.seen = {one: seen for one, seen in self.seen.items() if one == place}
        part.alarms = {key: text for key, text in self.alarms.items() if key[:2] == place}
        if place in self.rows:
            part.rows = {place: self.rows[place]}
            part.count = len(self.rows[place])
        return part

    def write(self, connection: Connection, now: datetime) -> None:
        """All of it in one transaction, durable when this returns. psycopg.DataError where the database
        cannot hold a message; another psycopg.Error or a RecordError where nothing was written or, where
        the connection ended in the commit, nobody knows."""
        with committed(connection):
            if self.rows:
                self._copy(connection, now)
            self._move(connection)
            self._notice(connection)

    def _copy(self, connection: Connection, now: datetime) -> None:
        month = month_of(now)
        make_month(connection, month)
        table = sql.Identifier(SCHEMA, month_table(month))
        names = sql.SQL(", ").join(map(sql.Identifier, COLUMNS))
        into = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(table, names)
        with connection.cursor() as cursor, cursor.copy(into) as copy:
            copy.set_types(list(COLUMNS.values()))
            for place, taken in self.rows.items():
                for one in taken:
                    copy.write_row(_row(place, one, now))

    def _move(self, connection: Connection) -> None:
        for begins, statement in ((True, _BEGUN), (False, _MOVED)):
            chosen = [
                (*key, move.was, move.sequence, move.hash, move.key, move.head)
                for key, move in sorted(self.moves.items(), key=itemgetter(0))
                if move.begins == begins
            ]
            if not chosen:
                continue
            done = connection.execute(statement, [list(column) for column in zip(*chosen, strict=True)])
            if done.rowcount != len(chosen):
                raise RecordError("another recorder records these tables too; end one of the two")
        told = [
            msgspec.json.encode(
                {"site": site, "table": table, "epoch": epoch, "sequence": move.sequence}
            ).decode()
            for (site, table, epoch), move in self.moves.items()
            if (site, table) in self.rows
        ]
        if told:
            connection.execute(_TELL, (told,))

    def _notice(self, connection: Connection) -> None:
        if self.seen:
            rows = [
                (*place, status.state, status.boot, status.version, status.digest, status.epoch, at)
                for place, (status, at) in sorted(self.seen.items(), key=itemgetter(0))
            ]
            connection.execute(_SEEN, [list(column) for column in zip(*rows, strict=True)])
        for key, message in sorted(self.alarms.items()):
            connection.execute(_ALARM, (*key, message))


def _row(place: Place, taken: Taken, now: datetime) -> tuple[object, ...]:
    envelope = taken.envelope
    return (
        *place,
        envelope.epoch,
        envelope.sequence,
        envelope.id,
        envelope.type_,
        envelope.subject,
        datetime.fromisoformat(envelope.time),
        message_hash(taken.body),
        Jsonb(taken.signed, dumps=_json_text),
        taken.body,
        now,
    )


def _json_text(body: bytes) -> bytes:
    """The message as PostgreSQL takes it: a text of jsonb has no U+0000."""
    if rb"\u0000" not in body:
        return body
    return _ESCAPE.sub(lambda escape: rb"\ufffd" if escape[0] == rb"\u0000" else escape[0], body)
