"""The chains: how a record's hash and a message's hash are made."""

from __future__ import annotations

import hashlib
import struct

from controller.journal.port import Record, StoredMessage
from controller.vocabulary.errors import JournalError

_BOUND = struct.Struct(">QQQ")


def first_hash(epoch: int) -> bytes:
    """What stands before the first record: the epoch as 32 bytes, big-endian, so that epochs do not mix."""
    return epoch.to_bytes(32, "big")


def record_hash(previous: bytes, number: int, at_ms: int, stream: int, body: bytes) -> bytes:
    """SHA-256 of previous hash (32 bytes), number, at_ms and stream (8 bytes each, big-endian), body."""
    return hashlib.sha256(previous + _BOUND.pack(number, at_ms, stream) + body).digest()


def chained(previous: bytes, number: int, at_ms: int, stream: int, body: bytes) -> Record:
    """The record that follows on ``previous``, with its hash."""
    return Record(number, at_ms, stream, body, record_hash(previous, number, at_ms, stream, body))


def stored(sequence: int, body: bytes) -> StoredMessage:
    """The message with its hash."""
    return StoredMessage(sequence, body, hashlib.sha256(body).hexdigest())


def snapshot_hash(after: bytes, body: bytes) -> bytes:
    """SHA-256 of the hash of the record that the snapshot stands after, and its body."""
    return hashlib.sha256(after + body).digest()


def fits(previous: bytes, record: Record) -> bool:
    """Whether the record's hash is the one that its content and the record before it give."""
    return record.hash == record_hash(previous, record.number, record.at_ms, record.stream, record.body)


def check_next(previous: bytes, number: int, stream: int, record: Record) -> None:
    """Raise JournalError unless ``record`` is number ``number``, goes on from ``stream`` and fits the
    chain."""
    if record.number != number:
        raise JournalError(f"record {number} is missing; the next one is {record.number}")
    if record.stream < stream:
        raise JournalError(f"record {number} goes back in the stream, from {stream} to {record.stream}")
    if not fits(previous, record):
        raise JournalError(f"record {number} does not fit its hash: it was changed, or the one before it")
