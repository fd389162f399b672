"""A second reader that watches the same cards as the shoe: the two must agree, card by card.

What the shoe reports is what counts; the second reader only contradicts. Pure: the times of the readings
go in. No text names a card, for it may lie face down.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.shell.intake.pairing import Detection, Pairing, Side

DISAGREE = "the two readers do not agree on a card"
ONE_ALONE: dict[Side, str] = {
    "shoe": "the second reader did not see a card",
    "witness": "only the second reader saw a card",
}
UNREAD = ""
"""A card passed, and this reader does not know which: it contradicts no other."""


class SecondReader(Pairing):
    """A reader that sees which card passes."""

    def shoe(
        self, code: str, at_ns: int, same: Callable[[str, str], bool], *, sure: bool = True
    ) -> list[str]:
        """The shoe's own reader reports a card; what is wrong."""
        return judged(code, self.from_shoe(at_ns, code, sure=sure), same)

    def second(
        self, code: str, at_ns: int, same: Callable[[str, str], bool], *, sure: bool = True
    ) -> list[str]:
        """The second reader reports a card; what is wrong."""
        return judged(code, self.from_witness(at_ns, code, sure=sure), same)

    def due(self, now_ns: int) -> list[str]:
        """What is wrong where one reader stayed silent."""
        return [ONE_ALONE[side] for side in self.missed(now_ns)]


def judged(code: str, other: Detection | None, same: Callable[[str, str], bool]) -> list[str]:
    """Whether two reports that paired contradict each other."""
    if other is None or UNREAD in (code, other.code) or same(code, other.code):
        return []
    return [DISAGREE]
