"""What a consumer of the stream keeps: each message once, in order, on its own disk.

This is the half of the reference consumer that an integrator has to get right; it knows no MQTT. A message
counts as received when ``take`` has returned, and only then may it be acknowledged. Who keeps the stream
elsewhere than in a file of its own derives from :class:`Keeping`.
"""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

import msgspec

from controller.outbox.envelope import (
    ZERO_HASH,
    Envelope,
    canonical,
    message_hash,
    name_of,
    on_time,
    read_envelope,
)
from controller.outbox.signature import is_key, keyid_of, verify
from controller.vocabulary.errors import DealerTableError, InputError, read_json, why
from controller.vocabulary.messages import EpochStartedMessage

_TABLES = """
CREATE TABLE IF NOT EXISTS messages (
    epoch INTEGER NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (epoch, sequence)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS place (
    only INTEGER PRIMARY KEY CHECK (only = 1), epoch INTEGER NOT NULL, sequence INTEGER NOT NULL,
    hash TEXT NOT NULL, key TEXT NOT NULL DEFAULT ''
) STRICT;
"""
_KEPT = "SELECT body FROM messages WHERE epoch = ? AND sequence > ? AND sequence <= ? ORDER BY sequence"
_KEPT_ONES = (
    "SELECT sequence, body FROM messages WHERE epoch = ? AND sequence IN (SELECT value FROM json_each(?))"
)
_ADD_KEY = "ALTER TABLE place ADD COLUMN key TEXT NOT NULL DEFAULT ''"
"""A file of an earlier version has none: it pins one when it next hears the table."""
MOST = (1 << 63) - 1


class StoreError(DealerTableError):
    """The consumer's own file cannot be read or written."""

    code = "keeper"


class Cursor(msgspec.Struct, frozen=True):
    """Up to where everything is here; ``hash`` of the last message, empty where it is not known yet."""

    epoch: int
    sequence: int
    hash: str
    key: str = ""
    """The public key that signs this epoch, as it is pinned; empty, and nothing is taken, before it is."""


class Taken(msgspec.Struct, frozen=True):
    """New and now durable."""

    envelope: Envelope
    body: bytes
    """The canonical message."""
    signed: bytes = b""
    """The message as it was signed, for the record."""


class Repeated(msgspec.Struct, frozen=True):
    """Here already; dropped."""

    epoch: int
    sequence: int


class Gap(msgspec.Struct, frozen=True):
    """Something before it has not come; not taken. Ask for a resend from ``expected``."""

    expected: int
    came: int


class OtherEpoch(msgspec.Struct, frozen=True):
    """The table has a new journal, or an older unit speaks, or somebody says so: an alarm. Not taken before
    ``accept_epoch``."""

    ours: int
    epoch: int


class Disagrees(msgspec.Struct, frozen=True):
    """It does not follow on what is here: one of the two was changed. An alarm; not taken."""

    sequence: int
    prevhash: str
    ours: str


class Differs(msgspec.Struct, frozen=True):
    """Another message is here under its number: a table that was put back, or a record that was changed.
    An alarm; not taken. The two are the hashes."""

    sequence: int
    theirs: str
    ours: str


class NotItsOwn(msgspec.Struct, frozen=True):
    """The key that is pinned did not sign it: an alarm; not taken. Somebody else wrote it, or a person must
    accept a new key of the table."""

    sequence: int
    code: Literal["unsigned", "other_key", "forged"]
    message: str


class NoKey(msgspec.Struct, frozen=True):
    """Nobody has said yet which key the table has; not taken, it comes again."""

    sequence: int


class NotAMessage(msgspec.Struct, frozen=True):
    """No message of a dealer table; not taken."""

    reason: str


Outcome = Taken | Repeated | Gap | OtherEpoch | Disagrees | Differs | NotItsOwn | NoKey | NotAMessage


class _Introduction(msgspec.Struct):
    """What we read of ``epoch.started``."""

    public_key: str | None = None


class Keeping(ABC):
    """The stream of one table as a consumer keeps it. One owner, one thread."""

    cursor: Cursor | None = None
    """Up to where everything is here; None before anybody said where to begin."""
    given = ""
    """The public key that a person said, where what is here was signed by another one."""

    def begin(self, epoch: int, sequence: int) -> None:
        """A new consumer begins after ``sequence``, the table's cursor for it. Nothing if it
        has begun."""
        if self.cursor is None:
            self._write([], Cursor(epoch, sequence, ZERO_HASH if sequence == 0 else ""))

    def accept_epoch(self, epoch: int, key: str = "") -> None:
        """Somebody has looked into it: go over to a larger epoch, from its first message. ``key``: the public
        key that signs it; empty: the first that the table names."""
        if self.cursor is not None and epoch <= self.cursor.epoch:
            raise StoreError(f"epoch {epoch} is not larger than {self.cursor.epoch}")
        self._write([], Cursor(epoch, 0, ZERO_HASH, key))

    @property
    def believed(self) -> str:
        """The public key without whose signature nothing is taken; empty, and nothing is, before there is
        one."""
        return self.given or ("" if self.cursor is None else self.cursor.key)

    def pin(self, key: str) -> None:
        """Take nothing from here on that this public key has not signed. InputError where it is none."""
        keyid_of(key)
        if self.cursor is not None and self.cursor.key != key:
            self._write([], msgspec.structs.replace(self.cursor, key=key))

    def take(self, bodies: Sequence[bytes]) -> list[Outcome]:
        """Keep what is new and in order, all in one transaction; what became of each. Nothing before
        ``begin``."""
        cursor = self.cursor
        if cursor is None:
            return []
        outcomes: list[Outcome] = []
        new: list[Taken] = []
        for body in bodies:
            outcome = self._judge(cursor, body)
            if isinstance(outcome, Taken):
                new.append(outcome)
                key = self.given or cursor.key or introduced(outcome.envelope)
                cursor = Cursor(cursor.epoch, outcome.envelope.sequence, message_hash(outcome.body), key)
            outcomes.append(outcome)
        self._compare(outcomes, bodies, {one.envelope.sequence: one.body for one in new})
        if new:
            self._write(new, cursor)
        return outcomes

    def _compare(self, outcomes: list[Outcome], bodies: Sequence[bytes], new: Mapping[int, bytes]) -> None:
        """What is here already must be what we hold; of what came before we began we know nothing. All of it
        is one question: a flood of repeats must not be what keeps us from answering."""
        again = [(at, one) for at, one in enumerate(outcomes) if isinstance(one, Repeated)]
        asked = {one.sequence for _, one in again} - new.keys()
        try:
            held = {**self.held(again[0][1].epoch, asked), **new} if asked else new
        except sqlite3.Error as error:
            raise StoreError(f"cannot read the stream: {why(error)}") from error
        for at, repeated in again:
            came = canonical(bodies[at])
            ours = canonical(held.get(repeated.sequence, came))
            if ours != came:
                outcomes[at] = Differs(repeated.sequence, message_hash(came), message_hash(ours))

    def refuses(self, envelope: Envelope) -> str | None:
        """Why this is no message of the stream that is kept here; None: nothing speaks against it."""
        return None

    def _judge(self, cursor: Cursor, body: bytes) -> Outcome:
        try:
            envelope = read_envelope(body)
        except InputError as error:
            return NotAMessage(error.message)
        if (why := self.refuses(envelope)) is not None:
            return NotAMessage(why)
        if envelope.epoch != cursor.epoch:
            return OtherEpoch(cursor.epoch, envelope.epoch)
        if (doubt := self._doubt(cursor, envelope, body)) is not None:
            return doubt
        if envelope.sequence <= cursor.sequence:
            return Repeated(envelope.epoch, envelope.sequence)
        if envelope.sequence != cursor.sequence + 1:
            return Gap(cursor.sequence + 1, envelope.sequence)
        if cursor.hash and envelope.prevhash != cursor.hash:
            return Disagrees(envelope.sequence, envelope.prevhash, cursor.hash)
        return Taken(envelope, canonical(body), on_time(body))

    def _doubt(self, cursor: Cursor, envelope: Envelope, body: bytes) -> NotItsOwn | NoKey | None:
        """Why it is not known to be the table's own."""
        key = self.given or cursor.key or introduced(envelope)
        if not key:
            return NoKey(envelope.sequence)
        doubt = verify(body, key)
        return None if doubt is None else NotItsOwn(envelope.sequence, doubt.code, doubt.message)

    @abstractmethod
    def messages(self, epoch: int, after: int = 0, last: int = MOST) -> Iterator[bytes]:
        """The messages of an epoch above one sequence, up to another, in order, as they were signed or
        canonical."""

    @abstractmethod
    def held(self, epoch: int, sequences: Collection[int]) -> Mapping[int, bytes]:
        """Those of these messages of an epoch that are here, by sequence, as ``messages`` has them."""

    @abstractmethod
    def _write(self, new: Sequence[Taken], cursor: Cursor) -> None:
        """Make all of it durable, and ``cursor`` ours; StoreError where that fails, and then nothing is."""


class MessageStore(Keeping, AbstractContextManager["MessageStore"]):
    """The consumer's file. One owner, one thread."""

    def __init__(self, path: Path) -> None:
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
        except sqlite3.Error as error:
            raise StoreError(f"cannot open {path}: {why(error)}") from error
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_TABLES)
            if "key" not in {row[1] for row in self._connection.execute("PRAGMA table_info (place)")}:
                self._connection.execute(_ADD_KEY)
            row = self._connection.execute("SELECT epoch, sequence, hash, key FROM place").fetchone()
        except sqlite3.Error as error:
            self._connection.close()
            raise StoreError(f"cannot open {path}: {why(error)}") from error
        self._path = path
        self.cursor = None if row is None else Cursor(*row)

    def __exit__(self, *_: object) -> None:
        self.close()

    def messages(self, epoch: int, after: int = 0, last: int = MOST) -> Iterator[bytes]:
        rows = self._connection.execute(_KEPT, (epoch, after, last))
        for (body,) in rows:
            yield body

    def held(self, epoch: int, sequences: Collection[int]) -> Mapping[int, bytes]:
        asked = msgspec.json.encode(sorted(sequences)).decode()
        return dict(self._connection.execute(_KEPT_ONES, (epoch, asked)).fetchall())

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def _write(self, new: Sequence[Taken], cursor: Cursor) -> None:
        rows = [(taken.envelope.epoch, taken.envelope.sequence, taken.signed) for taken in new]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany("INSERT INTO messages VALUES (?, ?, ?)", rows)
            self._connection.execute(
                "INSERT OR REPLACE INTO place VALUES (1, ?, ?, ?, ?)",
                (cursor.epoch, cursor.sequence, cursor.hash, cursor.key),
            )
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise StoreError(f"cannot write {self._path}: {why(error)}") from error
        self.cursor = cursor


def introduced(envelope: Envelope) -> str:
    """The public key that the first message of an epoch introduces, empty where it does not."""
    if envelope.sequence != 1 or name_of(envelope.type_) != EpochStartedMessage.name:
        return ""
    said = read_json(envelope.data, _Introduction)
    return "" if said is None or said.public_key is None or not is_key(said.public_key) else said.public_key
