"""A card that was not read, which a shoe may say in two ways: as a card without a code, and as an alarm.

One card that is said in both ways is one unread card, not two.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from drivers.readings import ErrorRaised

Way = Literal["card", "alarm"]

_ALARMS = ("card not read", "card code error")
_DISORDER = ("overdraw", "reverse run at the exit", "reverse run midway")
SAME_CARD_NS = 1_000_000_000
"""Both ways within this time, and no card in between, are one card."""


def says_unread(error: ErrorRaised) -> bool:
    """Whether an alarm means that a card passed and is not known."""
    return error.text.lower() in _ALARMS


def says_disorder(error: ErrorRaised) -> bool:
    """Whether an alarm means that cards moved as they never should: people have to look."""
    return error.text.lower() in _DISORDER


class UnreadOnce(msgspec.Struct):
    """What was said last, for each shoe."""

    _last: dict[str, tuple[Way, int]] = msgspec.field(default_factory=dict)

    def is_new(self, device: str, way: Way, at_ns: int) -> bool:
        """Whether this is another card than the one that was said not to be read just now."""
        last = self._last.pop(device, None)
        if last is not None and last[0] != way and at_ns - last[1] <= SAME_CARD_NS:
            return False
        self._last[device] = (way, at_ns)
        return True

    def card(self, device: str) -> None:
        """A card was read: what comes now is about another one."""
        self._last.pop(device, None)
