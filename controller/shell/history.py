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
    seals: list[bytes | None]
    """Who signed each of them; None: nobody did."""

    def about(self, round_id: str) -> list[tuple[str, Envelope]]:
        """Names and messages of one round."""
        return [(name_of(one.type_) or one.type_, one) for one in self.said if one.subject == round_id]

    def opened(self) -> PastRound | None:
        """The round that was opened, if one was."""
        for message in self.said:
            if name_of(message.type_) == "round.opened" and message.subject is not None:
                trace = round_trace(message.data)
                number = "" if trace is None else trace.game_number or ""
                return PastRound(message.subject, number, message.time)
        return None


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
            yield from entry.about(self.id)

    def hides_cards(self) -> bool:
        """Whether cards were dealt face down of which no result has come yet, in a round that may go on."""
        hidden = False
        for name, message in self.messages():
            if name == "round.card" and b'"card":null' in bytes(message.data):
                hidden = True
            elif name == "round.result":
                hidden = False
        return hidden and not self.ended


def entries(journal: SqliteReader, after: int = 0) -> Iterator[Entry]:
    """The records above ``after`` in order, with their messages as far as they are still kept."""
    kept_from, before = journal.pruned().sequence, journal.record(after).stream
    for record in journal.records(after):
        event, stamp = decode_event(record.body)
        kept = journal.messages_with(record, before) if record.stream > kept_from else []
        before = record.stream
        bodies = [message.body for message in kept]
        said = [read_envelope(body) for body in bodies]
        yield Entry(record, event, stamp, said, bodies, [message.seal for message in kept])


def rounds(told: Iterator[Entry]) -> Iterator[PastRound]:
    """The rounds in order of their opening, the running one last. Give it :func:`entries`."""
    running: PastRound | None = None
    for entry in told:
        if running is not None:
            running.entries.append(entry)
            running.ended = any(name in _ENDS for name, _ in entry.about(running.id))
            if running.ended:
                yield running
                running = None
        if (opened := entry.opened()) is not None:
            opened.entries.append(entry)
            running = opened
    if running is not None:
        yield running
