"""Fold events through the table without hardware, broker or journal file, and tell what it would have
said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec

from controller.journal.reader import SqliteReader
from controller.outbox.envelope import first_head, signed
from controller.round.state import State
from controller.settings.model import Configuration
from controller.shell.announcer import Announcer, retained_payloads, topics_of
from controller.shell.restart import Retelling
from controller.table import Table
from controller.vocabulary.codec import decode_event, digest
from controller.vocabulary.effects import Effect, Refuse
from controller.vocabulary.errors import InputError
from controller.vocabulary.events import AnyEvent, Stamp, TableConfigured


class Printed(msgspec.Struct, frozen=True):
    """One message as ``replay`` prints it; the payload of a deleted retained topic is an empty object."""

    topic: str
    retain: bool
    payload: msgspec.Raw


class Replay:
    """A table, its stream and its retained topics, stepped event by event."""

    def __init__(self, epoch: int) -> None:
        self.table = Table(epoch)
        self.refusals: tuple[Refuse, ...] = ()
        """What the last event was refused for."""
        self._announcer = Announcer(first_head(epoch))
        self._printer = _Printer()

    def step(self, event: AnyEvent, stamp: Stamp) -> Iterator[Printed]:
        """The messages that one event causes, in order, then the retained topics that changed."""
        self.table, effects = self.table.apply(event, stamp)
        return self._told(effects, stamp.at)

    def _told(self, effects: tuple[Effect, ...], at: str) -> Iterator[Printed]:
        self.refusals = tuple(effect for effect in effects if isinstance(effect, Refuse))
        state = self.table.state
        if state is not None:
            yield from self._printer.printed(self._announcer.messages(effects, state, at), state)


class _Printer:
    """Prints messages, and then the retained topics that changed."""

    def __init__(self) -> None:
        self._retained: dict[str, bytes] = {}

    def printed(self, bodies: Iterable[bytes], state: State) -> Iterator[Printed]:
        topic = topics_of(state).events
        for body in bodies:
            yield Printed(topic, False, msgspec.Raw(body))
        now = retained_payloads(state)
        for name, body in now.items():
            if self._retained.get(name) != body:
                yield Printed(name, True, msgspec.Raw(body))
        for name in [name for name in self._retained if name not in now]:
            yield Printed(name, True, msgspec.Raw(b"{}"))
        self._retained = now


def configured_by(configuration: Configuration) -> TableConfigured:
    """The configuration as the record keeps it, with the digests that an auditor compares."""
    core = configuration.core()
    canonical = configuration.canonical()
    return TableConfigured(
        core=msgspec.to_builtins(core),
        configuration=canonical,
        digests={
            "configuration": digest(canonical),
            "core": digest(core),
            "pay_table": digest(core.pay_table),
        },
    )


def numbered(line: bytes, number: int) -> tuple[AnyEvent, Stamp]:
    """The event of one line of a file; a line without a sequence takes its number. InputError names the
    line.
    """
    try:
        event, stamp = decode_event(line)
        check_day(stamp.at)
    except InputError as error:
        raise InputError(f"line {number}: {error.message}", error.code) from error
    if stamp.sequence:
        return event, stamp
    return event, msgspec.structs.replace(stamp, sequence=number)


def check_day(at: str) -> None:
    """A time that no calendar has is a slip in a file that people write: its round would open at midnight."""
    try:
        datetime.fromisoformat(at.replace(":60", ":59").replace("Z", "+00:00"))
    except ValueError as error:
        raise InputError(f"not an event: `at` is {at!r}: {error}", "bad_event") from error


def unknown_keys(event: AnyEvent, given: Iterable[str]) -> list[str]:
    """Keys of a line that its event does not have: a slip of the pen, or a key of a later version."""
    known = {field.encode_name for kind in (type(event), Stamp) for field in msgspec.structs.fields(kind)}
    return [key for key in given if key not in known and key != "event"]


def replay_journal(journal: SqliteReader, digest: str) -> Iterator[Printed]:
    """All messages of a journal, which carries its own configuration: as they were recorded, whatever rules
    made them. Those that were pruned, and the retained topics, are what this software makes of the events.

    ``digest``: of the running software. :class:`JournalError` names a record that cannot be read.
    """
    again, printer = Retelling(journal, digest), _Printer()
    pruned, before = journal.pruned().sequence, 0
    for record in journal.records():
        event, stamp = again.event_of(record)
        said = again.messages(record, event, stamp)
        if record.stream == before or before >= pruned:
            recorded = journal.messages_with(record, before)
            if said != [message.body for message in recorded]:
                again.go_on_from(journal.stream_at(record.number))
            said = [one.body if one.seal is None else signed(one.body, one.seal) for one in recorded]
        elif record.stream >= pruned:
            again.go_on_from(journal.mark_at(record.stream))
        before = record.stream
        if again.table.state is not None:
            yield from printer.printed(said, again.table.state)
