"""What one transaction writes: events that the table has judged, and the messages that they ask for."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from controller.shell.announcer import Announcer
from controller.shell.clock import Clock
from controller.shell.observing.logs import where
from controller.shell.recordable import recordable
from controller.table import Table
from controller.vocabulary.codec import encode_event
from controller.vocabulary.effects import Effect, Refuse, Say
from controller.vocabulary.events import AnyEvent, CardRead, CardUnread, Stamp

log = logging.getLogger(__name__)

CARDS = (CardRead, CardUnread)
"""Events that a nonce is drawn for."""
FAILED = Refuse("fault", "the controller failed on this and holds: a supervisor is needed")
"""What a person is told whose event could not be handled; it is kept all the same."""


class Batch(msgspec.Struct):
    """What one transaction writes, and what is answered and published once it is durable."""

    table: Table
    records: list[bytes] = msgspec.field(default_factory=list)
    counts: list[int] = msgspec.field(default_factory=list)
    messages: list[bytes] = msgspec.field(default_factory=list)
    answers: list[Callable[[], None]] = msgspec.field(default_factory=list)
    says: list[Say] = msgspec.field(default_factory=list)
    events: list[AnyEvent] = msgspec.field(default_factory=list)
    connected: bool = False
    """A device came (back) and must be told again what it should show."""


class Recorder:
    """Lets the table judge events into a batch, each with its stamp."""

    def __init__(self, announcer: Announcer, clock: Clock, boot: int, record_head: Callable[[], int]) -> None:
        """``record_head``: sequence of the last event that is durable."""
        self._announcer = announcer
        self._clock = clock
        self._boot = boot
        self._record_head = record_head

    def record(self, batch: Batch, event: AnyEvent, fields: Mapping[str, object]) -> list[Effect]:
        """Let the table judge an event; where it fails, the event is kept and the table holds."""
        stamp = self._stamp(batch, event, fields)
        event, body, refused = recordable(event, stamp)
        batch.table, effects, messages, failure = self._announcer.handle(batch.table, event, stamp)
        if failure is not None:
            log.error("the table failed on %s: %s", type(event).__name__, where(failure))
            body = encode_event(event, msgspec.structs.replace(stamp, fault=type(failure).__name__))
            refused = (FAILED,)
        batch.records.append(body)
        batch.counts.append(len(messages))
        batch.messages += messages
        batch.says += [effect for effect in effects if isinstance(effect, Say)]
        batch.events.append(event)
        return [*refused, *effects]

    def changes_nothing(self, batch: Batch, event: AnyEvent) -> list[Effect] | None:
        """What the table answers where an event would leave it as it is: a word that may come at any rate is
        then not recorded. None where it is to be recorded, also where the table fails on it."""
        try:
            after, effects = batch.table.apply(event, self._stamp(batch, event, {}))
        except Exception:
            return None
        refused: list[Effect] = [effect for effect in effects if isinstance(effect, Refuse)]
        return refused if len(refused) == len(effects) and after.state == batch.table.state else None

    def _stamp(self, batch: Batch, event: AnyEvent, fields: Mapping[str, object]) -> Stamp:
        nonce = os.urandom(16).hex() if isinstance(event, CARDS) else None
        known: dict[str, Any] = {"monotonic_ns": self._clock.monotonic_ns(), **fields}
        return Stamp(
            at=self._clock.now(),
            sequence=self._record_head() + len(batch.records) + 1,
            boot=self._boot,
            synchronised=self._clock.synchronised(),
            nonce=nonce,
            **known,
        )
