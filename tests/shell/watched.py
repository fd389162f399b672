"""What a table would record of its watchers; time passes when a test says so."""

from __future__ import annotations

from collections.abc import Mapping

from controller.shell.conditions import Conditions, Moment, Watcher
from controller.vocabulary.conditions import Condition
from controller.vocabulary.events import ConditionChanged


class Watched:
    """Watchers, and the conditions that the record has of them."""

    def __init__(self, *watchers: Watcher, held: Mapping[str, Condition] | None = None) -> None:
        """``held``: what the record says of an earlier life."""
        self.held = dict(held or {})
        self.changes: list[ConditionChanged] = []
        self._conditions = Conditions(watchers)

    def look(self, now_ns: int, *, idle: bool = True) -> list[str]:
        """Ask once; what becomes an event: ``identity stops``, ``listeners is said``, ``broker is over``."""
        changed = self._conditions.changed(Moment(now_ns, dict(self.held), idle))
        self.changes += changed
        for change in changed:
            self.held.pop(change.condition, None)
            if change.active:
                self.held[change.condition] = Condition(change.message, change.blocks_opening)
        return [word(change) for change in changed]


def word(change: ConditionChanged) -> str:
    """A change as tests write it."""
    if not change.active:
        return f"{change.condition} is over"
    return f"{change.condition} {'stops' if change.blocks_opening else 'is said'}"
