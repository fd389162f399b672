"""A restart: fold the journal through the same door, from the last snapshot, and compare what was said.

A message that the same software would now write otherwise means that the record and the program disagree: the
table stops rather than go on from a state that nobody can prove. Other software may write other
messages; what was published is kept.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

import msgspec

from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from controller.outbox.envelope import StreamHead
from controller.round.state import State
from controller.round.stored import stored
from controller.shell.announcer import Announcer
from controller.shell.observing.logs import where
from controller.table import Table
from controller.vocabulary.codec import canonical, decode_event
from controller.vocabulary.errors import InputError, JournalError
from controller.vocabulary.events import AnyEvent, SoftwareStarted, Stamp

log = logging.getLogger(__name__)


class LastReport(msgspec.Struct, frozen=True):
    """The last numbered report of a device, as the record has it."""

    number: int
    raw: str
    """All its bytes, in hex."""


class StateSnapshot(msgspec.Struct, frozen=True):
    """All that a restart needs instead of the records before it."""

    state: State
    reports: dict[str, LastReport] = {}
    """Device -> its last numbered report: however long ago, it decides what is a repeat and what a gap."""


_snapshots = stored(StateSnapshot)


class Restarted(msgspec.Struct, frozen=True):
    """A table as the journal tells it, and what the shell must know to go on."""

    table: Table
    announcer: Announcer
    reports: dict[str, LastReport]
    """Device -> its last numbered report."""
    boot: int
    """Number of the last boot, 0 for a new journal."""


def encode_snapshot(state: State, reports: Mapping[str, LastReport]) -> bytes:
    """A snapshot as the journal keeps it."""
    return canonical(StateSnapshot(state, dict(reports)))


def decode_snapshot(body: bytes) -> StateSnapshot:
    """A snapshot read again; JournalError if this software cannot read it."""
    try:
        return _snapshots.decode(body)
    except msgspec.DecodeError as error:
        raise JournalError(
            f"the last snapshot cannot be read by this version: {error}", "snapshot"
        ) from error


def fold(journal: SqliteReader, digest: str) -> Restarted:
    """The table after the last record.

    ``digest`` is that of the running software: records that the same software wrote must lead to the same
    messages.
    """
    table, reports, after = from_snapshot(journal)
    mark = journal.stream_at(after)
    announcer = Announcer(StreamHead(journal.epoch, mark.sequence + 1, mark.hash))
    boot, by = last_boot(table)
    for record in journal.records(after):
        event, stamp = read_record(record)
        if isinstance(event, SoftwareStarted):
            boot, by = event.boot, event.digest
        table, said = retold(table, announcer, record, event, stamp, ours=by == digest)
        recorded = journal.messages_of(record.number)
        if by == digest and said != recorded:
            raise disagreement(
                record, event, "the messages in the journal are not those that this very software writes"
            )
        if said != recorded:
            head = journal.stream_at(record.number)
            announcer.head = StreamHead(journal.epoch, head.sequence + 1, head.hash)
            table = with_stream_end(table, head.sequence)
        if stamp.device is not None and stamp.report is not None and stamp.raw is not None:
            reports[stamp.device] = LastReport(stamp.report, stamp.raw)
    return Restarted(table, announcer, reports, boot)


def read_record(record: Record) -> tuple[AnyEvent, Stamp]:
    """The event of a record; JournalError if it is none."""
    try:
        return decode_event(record.body)
    except InputError as error:
        raise JournalError(f"record {record.number}: {error.message}", "record") from error


def retold(
    table: Table, announcer: Announcer, record: Record, event: AnyEvent, stamp: Stamp, *, ours: bool
) -> tuple[Table, list[bytes]]:
    """The table after a record, and its messages.

    What our own software took in it takes in again, or something is wrong (``ours``). An event that other
    software took in and this one fails on holds the table, as it would have, had it come now.
    """
    after, _, messages, failure = announcer.handle(table, event, stamp)
    if failure is not None and ours:
        why = f"this very software took it in and now fails on it, {where(failure)}"
        raise disagreement(record, event, why) from failure
    if failure is not None:
        log.error("record %d of other software cannot be handled: %s", record.number, where(failure))
    return after, messages


def disagreement(record: Record, event: AnyEvent, why: str) -> JournalError:
    """The record and this very software do not agree."""
    return JournalError(
        f"record {record.number} ({type(event).__name__}): {why};"
        " run `dealer-table verify` on the journal and call the laboratory",
        "disagrees",
    )


def with_stream_end(table: Table, sequence: int) -> Table:
    """The table with the number of messages that the record has: other software wrote another number."""
    if table.state is None:
        return table
    return Table(table.epoch, msgspec.structs.replace(table.state, said=sequence))


def from_snapshot(journal: SqliteReader) -> tuple[Table, dict[str, LastReport], int]:
    """The newest snapshot and the record that it follows; from the start where it cannot be read."""
    newest = journal.snapshot()
    if newest is not None:
        number, body = newest
        try:
            snapshot = decode_snapshot(body)
            return Table(journal.epoch, snapshot.state), dict(snapshot.reports), number
        except JournalError:
            log.warning(
                "the snapshot after record %d is of another version: folding the whole journal", number
            )
    return Table(journal.epoch), {}, 0


def last_boot(table: Table) -> tuple[int, str]:
    """Number and software digest of the boot that a snapshot was taken in."""
    software = None if table.state is None else table.state.software
    return (0, "") if software is None else (software.boot, software.digest)
