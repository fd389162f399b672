"""What stays active for longer than it should: an input that is stuck, a supervisor's key that was left
behind; and who has a key turned at which panel.

A lost panel means that its key is out, and keys are never restored after a start.
"""

from __future__ import annotations

import re

import msgspec

from controller.shell.conditions import Found
from controller.vocabulary.conditions import KEY_LEFT, STUCK
from drivers.readings import DeviceReachable, InputFreed, InputStuck, Reading

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


class StuckInputs(msgspec.Struct):
    """The inputs that are stuck now; a device that comes back tells anew which are."""

    _stuck: set[tuple[str, str]] = msgspec.field(default_factory=set)
    """Device and input."""

    def heard(self, device: str, reading: Reading) -> None:
        """Take in a reading of a device."""
        match reading:
            case InputStuck(name):
                self._stuck.add((device, name))
            case InputFreed(name):
                self._stuck.discard((device, name))
            case DeviceReachable():
                self._stuck = {one for one in self._stuck if one[0] != device}

    def conditions(self) -> Found:
        """``stuck-panel-OPEN`` and so on; the name is part of a topic."""
        return {
            STUCK.named(re.sub(r"[^A-Za-z0-9_.-]+", "-", f"{device}-{name}")[:100]): STUCK.holds(
                f"the input {name!r} of {device} is stuck: see what holds it"
            )
            for device, name in sorted(self._stuck)
        }
