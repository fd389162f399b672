"""A consumer that is gone for good: nothing is kept for it any more, and the record says who decided so."""

from __future__ import annotations

from controller.journal.sqlite import SqliteJournal
from controller.shell.clock import Clock
from controller.vocabulary.codec import decode_event, encode_event
from controller.vocabulary.events import ConsumerRetired, Stamp


def retire_consumer(journal: SqliteJournal, name: str, by: str) -> int:
    """Write it down, then forget the cursor; how many messages the consumer had not acknowledged."""
    cursor, head = journal.cursors()[name], journal.stream_head
    boot = None
    if journal.record_head:
        _, last = decode_event(journal.record(journal.record_head).body)
        boot = last.boot
    clock = Clock()
    stamp = Stamp(
        at=clock.now(),
        sequence=journal.record_head + 1,
        boot=boot,
        monotonic_ns=clock.monotonic_ns(),
        synchronised=clock.synchronised(),
    )
    journal.commit([encode_event(ConsumerRetired(name, cursor, by), stamp)])
    journal.retire_consumer(name)
    return head - cursor
