"""The keys of supervisors at the panels of a table, and one that was left turned.

A lost panel means that its key is out, and keys are never restored after a start.
"""

from __future__ import annotations

import msgspec

from controller.shell.conditions import Found
from controller.vocabulary.conditions import KEY_LEFT

LEFT_NS = 600_000_000_000
"""A key that is turned for longer than ten minutes has been forgotten, or is stuck."""
LEFT = "the supervisor's key has been turned for ten minutes: take it out, or see what holds it"


class TurnedKey(msgspec.Struct, frozen=True):
    """A key that is in: its badge, and when it was turned."""

    badge: str
    at_ns: int


class Keys(msgspec.Struct):
    """The keys at the panels of a table."""

    _turned: dict[str, TurnedKey] = msgspec.field(default_factory=dict)

    def badge(self, panel: str) -> str | None:
        """Whose key is turned there; None if it is out."""
        turned = self._turned.get(panel)
        return None if turned is None else turned.badge

    @property
    def any_turned(self) -> bool:
        """Whether a key is turned at any of the panels."""
        return bool(self._turned)

    def turn(self, panel: str, badge: str | None, at_ns: int) -> None:
        """A key is turned (again), or taken out (None)."""
        if badge is None:
            self._turned.pop(panel, None)
        else:
            self._turned[panel] = TurnedKey(badge, at_ns)

    def conditions(self, now_ns: int) -> Found:
        """``key-left-panel`` for each key that has been in for too long."""
        left = [panel for panel, turned in self._turned.items() if now_ns - turned.at_ns >= LEFT_NS]
        return {KEY_LEFT.named(panel): KEY_LEFT.holds(LEFT) for panel in left}
