"""What holds now against what the record says holds: the one place that makes condition events.

A watcher says what holds, as often as it is asked, and remembers nothing of what was told. What differs from
the state becomes an event, so that a condition is told when it begins, when its text or its weight changes,
and when it ends; also after a commit that failed, and after a restart.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

import msgspec

from controller.vocabulary.conditions import Condition, kind_of
from controller.vocabulary.events import ConditionChanged

log = logging.getLogger(__name__)

Found = Mapping[str, Condition | None]
"""Name -> what holds, or None for what does not. A name that is missing is not known yet."""


class Moment(msgspec.Struct, frozen=True):
    """When a watcher is asked, and what it may need to know."""

    monotonic_ns: int
    held: Mapping[str, Condition] = {}
    """What the record says holds, by name: a condition that ends only well below its limit needs it."""
    idle: bool = True
    """Whether nobody waits for the loop: no cards are due, and nothing is on the queue."""


Watcher = Callable[[Moment], Found]
"""What holds now, as far as it knows. Asked at every step of the loop: whoever needs time looks only now and
then."""


class Conditions:
    """All watchers of a table, and the comparison of what they say with what the record says."""

    def __init__(self, watchers: Iterable[Watcher]) -> None:
        self._watchers = tuple(watchers)
        self._tried: list[ConditionChanged] = []
        """Changes that the last comparison made: one that the table fails on is not made at every step."""

    def look(self, now: Moment) -> Found:
        """What all of them say."""
        found: dict[str, Condition | None] = {}
        for watcher in self._watchers:
            found.update(watcher(now))
        return found

    def changed(self, now: Moment) -> list[ConditionChanged]:
        """The events of now, for the record; each is logged, too, for its alert may be denied."""
        differences = changes(now.held, self.look(now))
        changed = [change for change in differences if change not in self._tried]
        self._tried = differences
        for change in changed:
            if not change.active:
                log.info("no longer so: %s", now.held[change.condition].message)
            else:
                log.log(logging.ERROR if change.blocks_opening else logging.WARNING, "%s", change.message)
        return changed


def changes(held: Mapping[str, Condition], found: Found) -> list[ConditionChanged]:
    """The events that bring ``held`` to ``found``: beginnings first, so that no round opens in between."""
    begun = [
        ConditionChanged(name, True, condition.message, condition.blocks_opening)
        for name, condition in found.items()
        if condition is not None and held.get(name) != condition
    ]
    ended = [ConditionChanged(name, active=False) for name in held if not _still_holds(name, found)]
    return begun + ended


def _still_holds(name: str, found: Found) -> bool:
    if name in found:
        return found[name] is not None
    kind = kind_of(name)
    return kind is not None and kind.survives_restart
