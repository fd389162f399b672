"""A restart: fold the journal through the same door, from the last snapshot, and compare what was said.

A message that the same software would now write otherwise means that the record and the program disagree: the
table stops rather than go on from a state that nobody can prove. Other software may write other
messages; what was published is kept.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

import msgspec

from controller.games.game import Game
from controller.games.registry import all_games
from controller.journal.reader import SqliteReader
from controller.journal.record import Record, StreamMark
from controller.outbox.envelope import StreamHead
from controller.round.devices import exchanged
from controller.round.state import State
from controller.shell.announcer import Announcer
from controller.shell.observing.logs import where
from controller.table import Table
from controller.vocabulary.codec import canonical, decode_event
from controller.vocabulary.display import Last, LastResult, LastVoid
from controller.vocabulary.errors import InputError, JournalError
from controller.vocabulary.events import (
    AnyEvent,
    DeviceIdentified,
    SoftwareStarted,
    Stamp,
    TableConfigured,
)
from controller.vocabulary.outcomes import Outcome

log = logging.getLogger(__name__)
KindT = TypeVar("KindT")


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


def stored(kind: type[KindT]) -> msgspec.json.Decoder[KindT]:
    """A decoder of ``kind``, in which there may be outcomes of any game."""
    return msgspec.json.Decoder(kind, dec_hook=_read)


def _read(kind: type, value: object) -> object:
    """An outcome is that of whichever game has one of this shape: a table may have changed its game since."""
    if kind is object:
        return value
    if kind is Last:
        last = LastResult if isinstance(value, dict) and value.get("kind") == "result" else LastVoid
        return msgspec.convert(value, last, dec_hook=_read)
    if kind is Outcome:
        for game in _loaded_first():
            try:
                outcome = msgspec.convert(value, game.outcome_type)
            except msgspec.ValidationError:
                continue
            if canonical(outcome) == canonical(value):  # a struct may pass over what it does not know
                return outcome
    raise ValueError(f"no {kind.__name__} of ours")


def _loaded_first() -> Iterator[type[Game]]:
    """All games; those that the table never played are imported only where none of the others fits."""
    yield from Game.__subclasses__()
    yield from all_games().values()


_snapshots = stored(StateSnapshot)


def snapshot_text(state: State, reports: Mapping[str, LastReport]) -> str:
    """A snapshot as an event tells it, and as the journal kept it up to its version 2: canonical JSON, which
    begins with a brace.
    """
    return canonical(StateSnapshot(state, dict(reports))).decode()


def encode_snapshot(state: State, reports: Mapping[str, LastReport]) -> bytes:
    """A snapshot as the journal keeps it: its text, packed by zlib to a quarter of what the disk would have
    to write.
    """
    return zlib.compress(snapshot_text(state, reports).encode())


def decode_snapshot(body: bytes) -> StateSnapshot:
    """A snapshot read again, packed or as text; JournalError if this software cannot read it."""
    try:
        return _snapshots.decode(body if body.startswith(b"{") else zlib.decompress(body))
    except (msgspec.DecodeError, zlib.error) as error:
        raise JournalError(
            f"the last snapshot cannot be read by this version: {error}", "snapshot"
        ) from error


class Retelling:
    """The table, made again from its records one after the other, and what the shell must know to go on."""

    def __init__(
        self, journal: SqliteReader, digest: str, snapshot: StateSnapshot | None = None, after: int = 0
    ) -> None:
        """``digest``: of the running software; ``snapshot``: taken after the record ``after``."""
        state = None if snapshot is None else snapshot.state
        software = None if state is None else state.software
        self.table = Table(journal.epoch, state)
        self.announcer = Announcer(head_after(journal.epoch, journal.stream_at(after)))
        self.reports = {} if snapshot is None else dict(snapshot.reports)
        """Device -> its last numbered report."""
        self.boot = 0 if software is None else software.boot
        """Number of the last boot, 0 for a new journal."""
        self._journal = journal
        self._digest, self._by = digest, None if software is None else software.digest
        self._begun: SoftwareStarted | None = None
        """The start that has begun with the configuration of the last record."""

    @property
    def left(self) -> str | None:
        """The table as other software left it; None where nobody or this very software did."""
        state = self.table.state
        if state is None or self.ours or not self.started:
            return None
        return snapshot_text(state, self.reports)

    @property
    def started(self) -> bool:
        """Whether some software has said that it runs."""
        return self._by is not None

    @property
    def ours(self) -> bool:
        """Whether this very software wrote the record: what it took in and said then it must take in and say
        again, or something is wrong.
        """
        return self._by == self._digest

    def event_of(self, record: Record) -> tuple[AnyEvent, Stamp]:
        """The event of the next record; JournalError if it is none.

        A start writes the configuration first and then who writes: both records are its own.
        """
        try:
            event, stamp = decode_event(record.body)
        except InputError as error:
            raise JournalError(f"record {record.number}: {error.message}", "record") from error
        begun, self._begun = self._begun, None
        if isinstance(event, TableConfigured):
            self._begun = self._start_after(record)
            self._begin(self._begun)
        elif isinstance(event, SoftwareStarted) and event != begun:
            self._begin(event)
        return event, stamp

    def _start_after(self, record: Record) -> SoftwareStarted | None:
        """The start that the next record tells of, if it does."""
        try:
            event, _ = decode_event(self._journal.record(record.number + 1).body)
        except (InputError, JournalError):
            return None
        return event if isinstance(event, SoftwareStarted) else None

    def _begin(self, start: SoftwareStarted | None) -> None:
        if start is None:
            return
        self.boot, self._by = start.boot, start.digest
        if start.took_over is not None:
            self._take_over(start.took_over)

    def _take_over(self, left: str) -> None:
        """Go on as that software did when it first started, wherever the events before it lead now."""
        try:
            found = decode_snapshot(left.encode())
        except JournalError:
            if self.ours:
                raise
            return
        self.table, self.reports = Table(self.table.epoch, found.state), dict(found.reports)

    def messages(self, record: Record, event: AnyEvent, stamp: Stamp) -> list[bytes]:
        """What the table says to it. An event that other software took in and this one fails on holds the
        table, as it would have, had it come now.
        """
        self.table, _, messages, failure = self.announcer.handle(self.table, event, stamp)
        if failure is not None and self.ours:
            why = f"this very software took it in and now fails on it, {where(failure)}"
            raise disagreement(record, event, why) from failure
        if failure is not None:
            log.error("record %d of other software cannot be handled: %s", record.number, where(failure))
        return messages

    def note_report(self, event: AnyEvent, stamp: Stamp, before: State | None) -> None:
        """Keep the last numbered report of each device, as long as no other unit is known to say it: one that
        is plugged in again, at a port that tells nothing lasting, says it once more. ``before``: the state
        before the event.
        """
        if isinstance(event, SoftwareStarted):
            others: Iterable[str] = exchanged(before, event.devices)
        elif isinstance(event, DeviceIdentified) and before is not None:
            known = before.units.get(event.device, {}).get(event.kind, event.identity)
            others = (event.device,) if known != event.identity else ()
        else:
            others = ()
        for device in others:
            self.reports.pop(device, None)
        if stamp.device is not None and stamp.report is not None and stamp.raw is not None:
            self.reports[stamp.device] = LastReport(stamp.report, stamp.raw)

    def go_on_from(self, mark: StreamMark) -> None:
        """The stream ends there in the record: other software wrote another number of messages, or others."""
        epoch, state = self.table.epoch, self.table.state
        self.announcer.head = head_after(epoch, mark)
        if state is not None:
            self.table = Table(epoch, msgspec.structs.replace(state, said=mark.sequence))


def head_after(epoch: int, mark: StreamMark) -> StreamHead:
    """Where the message after this one goes."""
    return StreamHead(epoch, mark.sequence + 1, mark.hash)


def fold(journal: SqliteReader, digest: str) -> Retelling:
    """The table after the last record.

    ``digest`` is that of the running software: records that the same software wrote must lead to the same
    messages.
    """
    snapshot, after = from_snapshot(journal)
    again = Retelling(journal, digest, snapshot, after)
    before = journal.record(after).stream
    for record in journal.records(after):
        event, stamp = again.event_of(record)
        state = again.table.state
        said, recorded = again.messages(record, event, stamp), journal.said_with(record, before)
        before = record.stream
        if again.ours and said != recorded:
            raise disagreement(
                record, event, "the messages in the journal are not those that this very software writes"
            )
        if said != recorded:
            again.go_on_from(journal.stream_at(record.number))
        again.note_report(event, stamp, state)
    return again


def disagreement(record: Record, event: AnyEvent, why: str) -> JournalError:
    """The record and this very software do not agree."""
    return JournalError(
        f"record {record.number} ({type(event).__name__}): {why};"
        " run `dealer-table verify` on the journal and call the laboratory",
        "disagrees",
    )


def from_snapshot(journal: SqliteReader) -> tuple[StateSnapshot | None, int]:
    """The newest snapshot and the record that it follows; from the start where it cannot be read."""
    newest = journal.snapshot()
    if newest is not None:
        number, body = newest
        try:
            return decode_snapshot(body), number
        except JournalError:
            log.warning(
                "the snapshot after record %d is of another version: folding the whole journal", number
            )
    return None, 0
