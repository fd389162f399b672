"""Supervisors' keys: who has one turned at which panel, and a key that somebody has left behind.

A lost panel means that its key is out, and keys are never restored after a start.
"""

from __future__ import annotations

import msgspec

from controller.shell.health import KEY_LEFT, over
from controller.vocabulary.events import AnyEvent, ConditionChanged

LEFT_NS = 600_000_000_000
"""A key that is turned for longer than ten minutes has been forgotten, or is stuck."""


class Turned(msgspec.Struct, frozen=True):
    """A key that is in: its badge, and when it was turned."""

    badge: str
    at_ns: int


class Keys(msgspec.Struct):
    """The keys at the panels of a table."""

    _turned: dict[str, Turned] = msgspec.field(default_factory=dict)
    _told: set[str] = msgspec.field(default_factory=set)

    def badge(self, panel: str) -> str | None:
        """Whose key is turned there; None where it is out."""
        turned = self._turned.get(panel)
        return None if turned is None else turned.badge

    def turn(self, panel: str, badge: str | None, at_ns: int) -> tuple[AnyEvent, ...]:
        """A key is turned (again), or taken out (None); the end of an alert about it."""
        if badge is None:
            self._turned.pop(panel, None)
        else:
            self._turned[panel] = Turned(badge, at_ns)
        if panel not in self._told:
            return ()
        self._told.discard(panel)
        return (over(KEY_LEFT + panel),)

    def due(self, now_ns: int) -> list[tuple[str, AnyEvent]]:
        """The keys that have been in for too long by now, each once: panel and event."""
        late = [panel for panel, at_ns in self._deadlines() if at_ns <= now_ns]
        self._told.update(late)
        message = "the supervisor's key has been turned for ten minutes: take it out, or see what holds it"
        return [(panel, ConditionChanged(KEY_LEFT + panel, True, message)) for panel in late]

    def deadline_ns(self) -> int | None:
        """When ``due`` may next have something to say."""
        return min((at_ns for _, at_ns in self._deadlines()), default=None)

    def _deadlines(self) -> list[tuple[str, int]]:
        waiting = [panel for panel in self._turned if panel not in self._told]
        return [(panel, self._turned[panel].at_ns + LEFT_NS) for panel in waiting]
