"""Inputs that are stuck: a button, or the beam, that is active for longer than anybody presses."""

from __future__ import annotations

import re

import msgspec

from controller.shell.conditions import Found
from controller.vocabulary.conditions import STUCK
from drivers.readings import DeviceReachable, InputFreed, InputStuck, Reading


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
