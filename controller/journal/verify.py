"""Is a journal whole? Reads a file without changing it and lists what is wrong, the first bad record by its
number.

What a message says is opaque here; who knows its envelope passes ``link``, and the public chain is checked
as well. A tail that was cut off cleanly leaves a chain that is whole: only somebody who holds a later hash
can tell, so the hashes that consumers acknowledged are passed as witnesses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Literal

import msgspec

from controller.journal.reader import SqliteReader
from controller.journal.record import ZERO_HASH, StoredMessage, StreamMark, before_first, faults, stored
from controller.journal.wal import behind_the_end
from controller.vocabulary.errors import DealerTableError, JournalError

MOST_FINDINGS = 100
"""Of each kind; a journal that is worse than that needs no longer list."""

FindingCode = Literal[
    "file",
    "structure",
    "record",
    "message",
    "public_chain",
    "snapshot",
    "cursor",
    "witness",
    "recomputed",
    "signature",
]


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    code: FindingCode
    text: str
    record: int | None = None
    sequence: int | None = None


class Witness(msgspec.Struct, frozen=True):
    """What somebody outside holds: the hash of the message with this sequence."""

    epoch: int
    sequence: int
    hash: str


class MessageLink(msgspec.Struct, frozen=True):
    """What a message says of its own place."""

    epoch: int
    sequence: int
    prevhash: str


Link = Callable[[bytes], MessageLink]
"""Reads a message's own place; raises ValueError or a DealerTableError for a body that has none."""


def wrong(
    message: StoredMessage, epoch: int, before: StreamMark | None, link: Link | None
) -> tuple[FindingCode, str] | None:
    """What is wrong with a message of this epoch behind ``before`` (None: nobody knows what was there).

    Without ``link`` the public chain is left out.
    """
    if stored(message.sequence, message.body).hash != message.hash:
        return "message", "does not fit its hash: it was changed"
    if link is None:
        return None
    try:
        said = link(message.body)
    except (ValueError, DealerTableError) as error:
        return "public_chain", f"cannot be read: {error}"
    if (said.epoch, said.sequence) != (epoch, message.sequence):
        return "public_chain", f"says that it is {said.epoch}-{said.sequence}"
    if before is not None and said.prevhash != before.hash:
        return "public_chain", f"does not follow on message {before.sequence}"
    return None


class Verdict(msgspec.Struct, frozen=True):
    """What ``verify`` found, and what it went through."""

    findings: list[Finding]
    epoch: int = 0
    records: int = 0
    stream_head: int = 0
    stream_hash: str = ZERO_HASH

    @property
    def first_bad_record(self) -> int | None:
        """The lowest number of a record that something is wrong with."""
        return min((found.record for found in self.findings if found.record is not None), default=None)


def verify(path: Path, *, link: Link | None = None, witnesses: Iterable[Witness] = ()) -> Verdict:
    """Check a journal file, which may be in use; what is committed meanwhile is not looked at.

    Whatever stands in the file becomes findings, never an exception.
    """
    # Twice: a log that its owner is writing just now may look odd once.
    if behind_the_end(path) == behind_the_end(path) == "transactions":
        text = f"the log {path.name}-wal holds whole transactions behind a bad one, where nobody reads them"
        return Verdict([Finding("file", text)])
    try:
        with SqliteReader.open(path) as reader:
            reader.hold_still()
            return _Examination(reader, link).verdict(witnesses)
    except JournalError as error:
        return Verdict([Finding("file", error.message)])


class _Examination:
    def __init__(self, reader: SqliteReader, link: Link | None) -> None:
        self._reader = reader
        self._link = link
        self._findings: list[Finding] = []
        self._record = before_first(reader.epoch)
        """The last one that was looked at."""
        self._last = StreamMark(0, ZERO_HASH)

    def verdict(self, witnesses: Iterable[Witness]) -> Verdict:
        walks = [
            self._structure(),
            self._walk_records(),
            self._walk_messages(),
            self._snapshots(),
            self._cursors(),
        ]
        walks += [self._witness(witness) for witness in witnesses]
        for walk in walks:
            self._collect(walk)
        return Verdict(
            self._findings,
            epoch=self._reader.epoch,
            records=self._record.number,
            stream_head=self._last.sequence,
            stream_hash=self._last.hash,
        )

    def _collect(self, walk: Iterator[Finding]) -> None:
        try:
            self._findings += islice(walk, MOST_FINDINGS)
        except JournalError as error:
            self._findings.append(Finding("structure", error.message, record=self._record.number + 1))

    def _structure(self) -> Iterator[Finding]:
        return (Finding("structure", text) for text in self._reader.ill_structured(MOST_FINDINGS))

    def _walk_records(self) -> Iterator[Finding]:
        for record in self._reader.unchecked_records(0):
            for number, text in faults(self._record, record):
                yield Finding("record", text, record=number)
            self._record = record

    def _walk_messages(self) -> Iterator[Finding]:
        self._last = self._reader.pruned()
        for message in self._reader.unchecked_messages():
            before: StreamMark | None = self._last
            if message.sequence != self._last.sequence + 1:
                missing, before = self._last.sequence + 1, None
                yield self._about(missing, "message", f"message {missing} is missing")
            found = wrong(message, self._reader.epoch, before, self._link)
            if found is not None:
                code, text = found
                yield self._about(message.sequence, code, f"message {message.sequence} {text}")
            self._last = StreamMark(message.sequence, message.hash)
        end = self._record.stream
        if self._last.sequence != end:
            text = f"the messages end at {self._last.sequence}, the last record says {end}"
            yield self._about(min(self._last.sequence, end) + 1, "message", text)

    def _about(self, sequence: int, code: FindingCode, text: str) -> Finding:
        return Finding(code, text, record=self._reader.record_of(sequence), sequence=sequence)

    def _snapshots(self) -> Iterator[Finding]:
        for number in self._reader.damaged_snapshots():
            yield Finding("snapshot", f"the snapshot after record {number} was changed", record=number)

    def _cursors(self) -> Iterator[Finding]:
        for consumer, sequence in self._reader.cursors().items():
            if sequence > self._last.sequence:
                text = f"{consumer} acknowledged {sequence}, but the stream ends at {self._last.sequence}"
                yield self._about(self._last.sequence + 1, "cursor", text)
            elif sequence < self._reader.pruned().sequence:
                text = f"{consumer} acknowledged {sequence}, but more was pruned; the next start fixes it"
                yield self._about(sequence + 1, "cursor", text)

    def _witness(self, witness: Witness) -> Iterator[Finding]:
        text = f"a witness holds {witness.epoch}-{witness.sequence}"
        if witness.epoch != self._reader.epoch:
            yield Finding("witness", f"{text}, this journal is of epoch {self._reader.epoch}")
        elif witness.sequence > self._last.sequence:
            yield self._about(
                self._last.sequence + 1,
                "witness",
                f"{text}, but the stream ends at {self._last.sequence}",
            )
        elif witness.sequence >= self._reader.pruned().sequence:
            held = self._reader.mark_at(witness.sequence)
            if held.hash != witness.hash:
                yield self._about(witness.sequence, "witness", f"{text} with another hash than this journal")
