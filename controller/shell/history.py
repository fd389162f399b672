"""Reading back: the rounds of a journal, each with its events, bytes and messages. Nothing is folded.

A round whose cards still lie face down is known as such: what a running table hides, readers of its journal
are not shown either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from controller.journal.reader import SqliteReader
from controller.journal.record import Record
from controller.outbox.envelope import Envelope, name_of, read_envelope
from controller.vocabulary.codec import decode_event
from controller.vocabulary.display import round_trace
from controller.vocabulary.events import AnyEvent, Stamp

_ENDS = ("round.final", "round.void")


@dataclass(frozen=True, slots=True)
class Entry:
    """One record and what was said because of it."""

    record: Record
    event: AnyEvent
    stamp: Stamp
    said: list[Envelope]
    bodies: list[bytes]
    """The same messages, canonical."""

    def names(self) -> list[str]:
        """Names of the messages."""
        return [name_of(message.type_) or message.type_ for message in self.said]


@dataclass(slots=True)
class PastRound:
    """A round from its opening to the record that made it final or void."""

    id: str
    game_number: str
    opened_at: str
    entries: list[Entry] = field(default_factory=list)
    ended: bool = False

    def messages(self) -> Iterator[tuple[str, Envelope]]:
        """Names and messages of the round, in order."""
        for entry in self.entries:
            for name, message in zip(entry.names(), entry.said, strict=True):
                if message.subject == self.id:
                    yield name, message

    def hides_cards(self) -> bool:
        """Whether cards of the round lie face down that were not revealed, in a round that may go on."""
        if self.ended:
            return False
        names = [name for name, _ in self.messages()]
        hidden = any(
            name == "round.card" and b'"card":null' in bytes(message.data)
            for name, message in self.messages()
        )
        return hidden and "round.revealed" not in names


def entries(journal: SqliteReader, after: int = 0) -> Iterator[Entry]:
    """All records in order, with their messages as far as they are still kept."""
    kept_from = journal.pruned().sequence
    for record in journal.records(after):
        event, stamp = decode_event(record.body)
        bodies = journal.messages_of(record.number) if record.stream > kept_from else []
        yield Entry(record, event, stamp, [read_envelope(body) for body in bodies], bodies)


def rounds(told: Iterator[Entry]) -> Iterator[PastRound]:
    """The rounds in order of their opening, the running one last. Give it :func:`entries`."""
    running: PastRound | None = None
    for entry in told:
        opened: PastRound | None = None
        for name, message in zip(entry.names(), entry.said, strict=True):
            if name == "round.opened" and message.subject is not None:
                opened = PastRound(message.subject, game_number_of(message), message.time)
        if running is not None:
            running.entries.append(entry)
            running.ended = any(
                name in _ENDS and message.subject == running.id
                for name, message in zip(entry.names(), entry.said, strict=True)
            )
            if running.ended:
                yield running
                running = None
        if opened is not None:
            opened.entries.append(entry)
            running = opened
    if running is not None:
        yield running


def game_number_of(message: Envelope) -> str:
    """The game number that a ``round.opened`` says."""
    trace = round_trace(message.data)
    return "" if trace is None else trace.game_number or ""
