"""A second reader that watches the same cards as the shoe: the two must say the same, card by card.

The shoe's word is the one that counts; the second reader only contradicts. Pure: the times of the readings
go in. No text names a card, for it may lie face down.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.shell.intake.beam import SETTLING_NS
from controller.shell.intake.meeting import Meeting, Word

DISAGREE = "the two readers do not agree on a card"
ONE_ALONE = {"left": "the second reader did not see a card", "right": "only the second reader saw a card"}
UNREAD = ""
"""A card passed, and this reader does not know which: it contradicts no other."""


class SecondReader:
    """``within_ns``: how far the two readings of one card may lie apart."""

    def __init__(self, within_ns: int) -> None:
        self.sees_from_ns: int | None = None
        """Cards from this time on must be seen; None while the second reader does not answer."""
        self._meeting = Meeting(within_ns)

    def came(self, at_ns: int) -> None:
        """The second reader answers (again)."""
        self.sees_from_ns = at_ns + SETTLING_NS

    def went(self) -> None:
        """The second reader is gone: it contradicts nothing any more."""
        self.sees_from_ns = None
        self._meeting.forget("left")

    def shoe(
        self, code: str, at_ns: int, same: Callable[[str, str], bool], *, sure: bool = True
    ) -> list[str]:
        """The shoe's own reader speaks; what is wrong."""
        seen = self.sees_from_ns is not None and at_ns >= self.sees_from_ns
        other = self._meeting.say("left", Word(at_ns, code, sure and seen))
        return judged(code, other, same)

    def second(
        self, code: str, at_ns: int, same: Callable[[str, str], bool], *, sure: bool = True
    ) -> list[str]:
        """The second reader speaks; what is wrong."""
        other = self._meeting.say("right", Word(at_ns, code, sure))
        return judged(code, other, same)

    def due(self, now_ns: int) -> list[str]:
        """What is wrong where one reader stayed silent."""
        return [ONE_ALONE[side] for side in self._meeting.alone(now_ns)]

    def deadline_ns(self) -> int | None:
        """When ``due`` may next have something to say."""
        return self._meeting.deadline_ns()


def judged(code: str, other: Word | None, same: Callable[[str, str], bool]) -> list[str]:
    """Whether two readings that met contradict each other."""
    if other is None or UNREAD in (code, other.text) or same(code, other.text):
        return []
    return [DISAGREE]
