"""What a journal holds, records and messages, and the chains that bind them: how their hashes are made.

A record is opaque bytes with a number; a message is opaque bytes with a sequence. Numbers and sequences
start at 1, have no gaps and are given by the journal. Records are chained privately (:func:`record_hash`);
messages are hashed over their own bytes, and carry the hash of the one before inside themselves, which is
the business of who writes them.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Annotated

import msgspec

from controller.vocabulary.errors import JournalError

_BOUND = struct.Struct(">QQQ")
Seal = Callable[[bytes], bytes]
"""Signs a hash of 32 bytes."""

ZERO_HASH = "0" * 64
"""Hash of the message before the first one of an epoch."""

CLOCK_SET_MS = 1_577_836_800_000
"""2020-01-01: a record with an earlier time was written before the clock was set; its age is unknown."""


class Record(msgspec.Struct, frozen=True, array_like=True):
    """One record of the private chain."""

    number: int
    """From 1, no gaps."""
    at_ms: Annotated[int, msgspec.Meta(ge=0)]
    """Wall time of the commit, ms since 1970; a label, never going back."""
    stream: Annotated[int, msgspec.Meta(ge=0)]
    """Sequence of the last message that had been written when this record and its messages were: the
    messages of record n are those from ``stream`` of record n - 1, exclusive, to ``stream`` of record n,
    inclusive."""
    body: bytes
    hash: bytes
    """32 bytes, see ``record_hash``."""


class StoredMessage(msgspec.Struct, frozen=True, array_like=True):
    """One message of the stream."""

    sequence: int
    body: bytes
    """The canonical message."""
    hash: str
    """SHA-256 of ``body``, hex: ``prevhash`` of the next message."""
    seal: bytes | None = None
    """Who signed that hash, and how; None: recorded before the table had a key."""


class StreamMark(msgspec.Struct, frozen=True, array_like=True):
    """A place in the stream: the last message's sequence (0: none yet) and its hash (``ZERO_HASH``: none
    yet)."""

    sequence: int
    hash: str


def before_first(epoch: int) -> Record:
    """What stands before the first record: its hash is the epoch as 32 bytes, big-endian, so that epochs do
    not mix."""
    return Record(0, 0, 0, b"", epoch.to_bytes(32, "big"))


def record_hash(previous: bytes, number: int, at_ms: int, stream: int, body: bytes) -> bytes:
    """SHA-256 of previous hash (32 bytes), number, at_ms and stream (8 bytes each, big-endian), body."""
    return hashlib.sha256(previous + _BOUND.pack(number, at_ms, stream) + body).digest()


def chained(before: Record, at_ms: int, stream: int, body: bytes) -> Record:
    """The record that follows on ``before``, with its hash."""
    number = before.number + 1
    return Record(number, at_ms, stream, body, record_hash(before.hash, number, at_ms, stream, body))


def stored(sequence: int, body: bytes, seal: Seal | None = None) -> StoredMessage:
    """The message with its hash, signed where somebody signs."""
    digest = hashlib.sha256(body)
    return StoredMessage(sequence, body, digest.hexdigest(), None if seal is None else seal(digest.digest()))


def snapshot_hash(after: bytes, body: bytes) -> bytes:
    """SHA-256 of the hash of the record that the snapshot stands after, and its body."""
    return hashlib.sha256(after + body).digest()


def fits(previous: bytes, record: Record) -> bool:
    """Whether the record's hash is the one that its content and the record before it give."""
    return record.hash == record_hash(previous, record.number, record.at_ms, record.stream, record.body)


def faults(before: Record, record: Record) -> Iterator[tuple[int, str]]:
    """Why ``record`` does not follow on ``before``, by its number, its stream or the chain; and of which
    record that is to be said."""
    number, there = before.number + 1, record.number
    if there != number:
        yield number, f"record {number} is missing; the next one is {there}"
    if record.stream < before.stream:
        yield there, f"record {there} goes back in the stream, from {before.stream} to {record.stream}"
    if there == number and not fits(before.hash, record):
        yield number, f"record {number} does not fit its hash: it was changed, or the one before it"


def check_next(before: Record, record: Record) -> None:
    """Raise JournalError unless ``record`` follows on ``before``."""
    for _, fault in faults(before, record):
        raise JournalError(fault)


def shares(records: int, messages: int, counts: Sequence[int] | None) -> list[int]:
    """How many messages each record of a commit has; raises ValueError if the numbers do not fit."""
    if counts is None:
        if messages and not records:
            raise ValueError("messages belong to a record; this commit has none")
        return [0] * (records - 1) + [messages] if records else []
    if len(counts) != records or sum(counts) != messages or any(count < 0 for count in counts):
        given = f"{len(counts)} counts that sum to {sum(counts)}"
        raise ValueError(f"{given} do not share {messages} messages among {records} records")
    return list(counts)
