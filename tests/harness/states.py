"""A table's state for tests of the shell: what the core says after some events."""

from __future__ import annotations

import msgspec

from controller.round.state import State
from controller.table import Table
from controller.vocabulary import events
from controller.vocabulary.configuration import CodeMap, CoreConfiguration, GameSettings, TableSettings
from controller.vocabulary.events import AnyEvent, Stamp

BACCARAT = CoreConfiguration(TableSettings("north", "7"), GameSettings("baccarat"))


def state_after(*happened: AnyEvent, core: CoreConfiguration = BACCARAT) -> State:
    """The state of a configured table after these events."""
    table = Table(1)
    configured = events.TableConfigured(as_record(core))
    for sequence, event in enumerate((configured, *happened), 1):
        table, _ = table.handle(event, Stamp(at="2026-01-31T20:15:00Z", sequence=sequence))
    if table.state is None:
        raise AssertionError("the table is not configured")
    return table.state


def as_record(core: CoreConfiguration) -> dict[str, object]:
    """A configuration as an event carries it."""
    record: dict[str, object] = msgspec.to_builtins(core)
    return record


def with_map(kind: str) -> CoreConfiguration:
    """Baccarat with another code map."""
    return msgspec.structs.replace(BACCARAT, code_map=CodeMap(kind))  # type: ignore[arg-type]


IN_ROUND = (events.ShoeLoaded(cards=416, shuffled=True), events.BetsOpened(), events.BetsClosed())
"""A round whose first card is awaited."""
