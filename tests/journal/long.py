"""Journals of any length with chains of both kinds, written in one go; their rows may be damaged."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from controller.journal.opening import SMALL_ROWS
from controller.journal.reader import SqliteReader
from controller.journal.record import CLOCK_SET_MS
from controller.journal.sqlite import SqliteJournal
from controller.journal.verify import MessageLink
from tests.journal.disks import EPOCH, change

CONSUMER = "settlement"
SMALL, LONG = 60, SMALL_ROWS
"""Records of a journal that a start walks whole, and of one that it does not."""


def message(sequence: int, prevhash: str) -> bytes:
    """A message that says its place."""
    return json.dumps({"sequence": sequence, "prevhash": prevhash, "text": f"message {sequence:06}"}).encode()


def link(body: bytes) -> MessageLink:
    """What such a message says of its place."""
    members = json.loads(body)
    return MessageLink(EPOCH, members["sequence"], members["prevhash"])


def append(journal: SqliteJournal, records: int, snapshot: bytes | None = None) -> None:
    """One commit: record n has a message, but every third has none and the one behind it has two."""
    bodies, messages, counts = [], [], []
    sequence, prevhash = journal.stream_head, journal.stream_hash
    for number in range(journal.record_head + 1, journal.record_head + records + 1):
        bodies.append(b"record %06d" % number)
        counts.append((1, 2, 0)[number % 3])
        for _ in range(counts[-1]):
            sequence += 1
            messages.append(message(sequence, prevhash))
            prevhash = hashlib.sha256(messages[-1]).hexdigest()
    journal.commit(bodies, messages, counts=counts, snapshot=snapshot)


def written(
    path: Path, records: int, *, snapshot: bool = True, clock_ms: Callable[[], int] = lambda: CLOCK_SET_MS
) -> Path:
    """A closed journal whose consumer has everything; its snapshot stands after the last record."""
    with SqliteJournal.create(path, epoch=EPOCH, clock_ms=clock_ms) as journal:
        journal.add_consumer(CONSUMER)
        if records:
            append(journal, records, b"the table then" if snapshot else None)
        journal.set_cursor(CONSUMER, journal.stream_head)
    return path


DAMAGES: dict[str, tuple[tuple[str, ...], str]] = {
    "a flipped bit in a record": (
        ("UPDATE records SET body = CAST(replace(body, 'record', 'recorf') AS BLOB) WHERE number = 7",),
        "record 7 does not fit",
    ),
    "a record's hash": (("UPDATE records SET hash = zeroblob(32) WHERE number = 7",), "record 7 does not"),
    "a record's time": (("UPDATE records SET at_ms = at_ms + 1 WHERE number = 7",), "record 7 does not fit"),
    "a record's place in the stream": (
        ("UPDATE records SET stream = stream + 1 WHERE number = 7",),
        "record 7 does not fit",
    ),
    "a record removed": (("DELETE FROM records WHERE number = 7",), "record 7 is missing"),
    "the first record removed": (("DELETE FROM records WHERE number = 1",), "record 1 is missing"),
    "two records swapped": (
        (
            "UPDATE records SET number = 100000 WHERE number = 7",
            "UPDATE records SET number = 7 WHERE number = 8",
            "UPDATE records SET number = 8 WHERE number = 100000",
        ),
        "record 7 does not fit",
    ),
    "a flipped bit in a message": (
        ("UPDATE messages SET body = CAST(replace(body, 'text', 'teyt') AS BLOB) WHERE sequence = 7",),
        "record 7: message 7 does not fit",
    ),
    "a message's hash": (
        ("UPDATE messages SET hash = replace(hash, substr(hash, 1, 8), 'ffffffff') WHERE sequence = 7",),
        "record 7: message 7 does not fit",
    ),
    "a message removed": (
        ("DELETE FROM messages WHERE sequence = 7",),
        "record 7: message 7 is missing",
    ),
    "all messages of a record removed": (
        ("DELETE FROM messages WHERE sequence IN (5, 6)",),
        "record 4: message 5 is missing",
    ),
    "two messages swapped with their hashes": (
        (
            "UPDATE messages SET sequence = 100000 WHERE sequence = 7",
            "UPDATE messages SET sequence = 7 WHERE sequence = 8",
            "UPDATE messages SET sequence = 8 WHERE sequence = 100000",
        ),
        "message 7 says that it is",
    ),
    "the epoch": (("UPDATE meta SET value = value + 1 WHERE name = 'epoch'",), "record 1 does not fit"),
    "a mark of pruning that is not true": (
        (f"INSERT INTO meta VALUES ('pruned_sequence', 5), ('pruned_hash', '{'0' * 64}')",),
        "message 1 is there, and all up to 5 were pruned",
    ),
}
"""What was done -> how, and what must be said."""
FIRST_BAD = {
    "the first record removed": 1,
    "all messages of a record removed": 4,
    "the epoch": 1,
    "a mark of pruning that is not true": 6,
}
"""Where the first bad record is not the seventh."""


def forge(path: Path, sequence: int) -> None:
    """A message changed together with its hash: only the message behind it tells."""
    with SqliteReader.open(path) as reader:
        body = reader.messages(sequence - 1, 1)[0].body.replace(b"text", b"teyt")
    digest = hashlib.sha256(body).hexdigest()
    change(path, ("UPDATE messages SET body = ?, hash = ? WHERE sequence = ?", (body, digest, sequence)))
