"""Recomputing a journal: folding its events again must give its messages, byte for byte.

The chains show that nobody changed a record who could not change all that follow; this shows more: that the
messages are those that this program makes of these events. What other software wrote is not compared: its
messages may be others.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import msgspec

from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from controller.journal.verify import MOST_FINDINGS, Finding
from controller.shell.restart import Retelling
from controller.vocabulary.errors import JournalError


class Recomputed(msgspec.Struct, frozen=True):
    """What came of it."""

    findings: list[Finding]
    compared: int
    """Records that this very software wrote, whose messages were compared."""
    other: int
    """Records of other software."""
    unread: int | None = None
    """Number of the first record that this software cannot read; nothing behind it was looked at."""


def recompute(path: Path, digest: str) -> Recomputed:
    """Fold a journal file, which may be in use. ``digest``: of the running software. What is wrong in the
    chains is ``verify``'s business: the fold ends there.
    """
    with SqliteReader.open(path) as reader:
        walk = _Walk(reader, digest)
        findings: list[Finding] = []
        try:
            for finding in islice(walk.findings(), MOST_FINDINGS):
                findings.append(finding)
        except JournalError as error:
            findings.append(Finding("recomputed", error.message, record=walk.number))
        return Recomputed(findings, walk.compared, walk.other, walk.unread)


class _Walk:
    def __init__(self, reader: SqliteReader, digest: str) -> None:
        self._reader = reader
        self._again = Retelling(reader, digest)
        self._pruned = reader.pruned()
        self.number = 1
        """Of the record that is looked at."""
        self.compared = self.other = 0
        self.unread: int | None = None

    def findings(self) -> Iterator[Finding]:
        before = 0
        for record in self._whole_records():
            self.number = record.number
            try:
                event, stamp = self._again.event_of(record)
            except JournalError:
                if self._again.ours:
                    raise
                self.unread = record.number
                return
            said = self._again.messages(record, event, stamp)
            self.compared += self._again.ours
            self.other += self._again.started and not self._again.ours
            yield from self._compare(record, before, said)
            before = record.stream

    def _whole_records(self) -> Iterator[Record]:
        """Up to where the chain breaks."""
        with contextlib.suppress(JournalError):
            yield from self._reader.records()

    def _compare(self, record: Record, before: int, said: list[bytes]) -> Iterator[Finding]:
        """Compare the messages with the recorded ones, and go on from those."""
        if record.stream > before and before < self._pruned.sequence:
            # The messages are gone; their number and, at the end, their last hash are left.
            same = len(said) == record.stream - before
            if record.stream == self._pruned.sequence:
                same = same and self._again.announcer.head.prevhash == self._pruned.hash
            if record.stream >= self._pruned.sequence:
                self._again.go_on_from(self._reader.mark_at(record.stream))
        else:
            same = said == self._reader.said_with(record, before)
            if not same:
                self._again.go_on_from(self._reader.stream_at(record.number))
        if self._again.ours and not same:
            text = f"record {record.number}: its messages are not those that this software says to its events"
            yield Finding("recomputed", text, record=record.number, sequence=before + 1)
