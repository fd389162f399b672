"""Effects of the core become messages of the stream: sequence, chain, envelope; for daemon and replay."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec import Raw
from msgspec.structs import replace

from controller.outbox.envelope import StreamHead, canonical_json, envelope
from controller.outbox.topics import Topics
from controller.outbox.topics import topics_of as topics_of_table
from controller.round.state import State
from controller.round.view import retained
from controller.table import Table
from controller.vocabulary.display import Display
from controller.vocabulary.effects import Effect, Say
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import AnyEvent, Stamp
from controller.vocabulary.remembered import remembered

SLOW_PARTS = ("last_results", "scoreboard", "result", "odds", "pays", "names")
"""What is long in a display and stays as it is while cards are dealt."""


class Handled(NamedTuple):
    """What became of an event."""

    table: Table
    effects: tuple[Effect, ...]
    messages: list[bytes]
    failure: Exception | None = None
    """Why the table could not handle it: it holds, as after a fault on record."""


class Announcer:
    """Turns effects into canonical messages, each chained to the one before it in the epoch."""

    def __init__(self, head: StreamHead) -> None:
        self.head = head

    def handle(self, table: Table, event: AnyEvent, stamp: Stamp) -> Handled:
        """Let the table handle an event; where that fails, it holds and the event is not lost (design, 6)."""
        head = self.head
        try:
            after, effects = table.apply(event, stamp)
            return Handled(after, effects, self.messages(effects, after.state, stamp.at))
        except Exception as error:  # whatever fails in there
            self.head = head
            after, effects = table.fault(event, stamp, type(error).__name__)
            return Handled(after, effects, self.messages(effects, after.state, stamp.at), error)

    def messages(self, effects: Iterable[Effect], state: State | None, at: str) -> list[bytes]:
        """The messages that the effects ask for, in order; the chain continues from the last one."""
        written: list[bytes] = []
        for effect in effects:
            if not isinstance(effect, Say) or state is None:
                continue
            if effect.sequence != self.head.sequence:
                message = f"the table says message {effect.sequence}, the stream expects {self.head.sequence}"
                raise JournalError(message, "sequence")
            body = envelope(
                self.head,
                source=topics_of(state).source,
                mode=state.configuration.table.mode,
                name=effect.message.name,
                subject=effect.message.subject,
                time=at,
                data=effect.message,
            )
            self.head = self.head.after(body)
            written.append(body)
        return written


def topics_of(state: State) -> Topics:
    """The topics of the table as it is configured now."""
    table = state.configuration.table
    return topics_of_table(table.site, table.id, table.mode)


def retained_payloads(state: State) -> dict[str, bytes]:
    """Full topic -> canonical payload of all that is retained for this state."""
    base = topics_of(state).base
    return {f"{base}/{part}": _payload(shown) for part, shown in retained(state).items()}


def _payload(shown: object) -> bytes:
    """A retained topic in bytes. Most of a display is the same after each event of a round: those parts are
    written once."""
    if not isinstance(shown, Display):
        return _written(shown)
    slow = {name: part for name in SLOW_PARTS if (part := getattr(shown, name))}
    return canonical_json(replace(shown, **{name: Raw(_written(part)) for name, part in slow.items()}))


@remembered
def _written(part: object) -> bytes:
    return canonical_json(part)
