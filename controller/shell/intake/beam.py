"""The beam across the shoe's exit, held against the cards that are read: each break must meet a card, and
each card a break.

A break that meets no card is a card that was not read. A card that meets no break is no card that left the
shoe, or the beam is blind: people have to look. Pure: the times of the readings go in.
"""

from __future__ import annotations

from typing import Literal

from controller.shell.intake.meeting import Meeting, Word

BeamFinding = Literal["break_without_card", "card_without_break"]

SETTLING_NS = 3_000_000_000
"""After the sensor came: a card may still be reported that passed before it."""


class Beam:
    """``within_ns``: how far a break and its card may lie apart."""

    def __init__(self, within_ns: int) -> None:
        self.sees_from_ns: int | None = None
        """Cards from this time on need a break; None while the sensor does not answer."""
        self.parted = False
        """The beam was broken since the last card: the next one is another card, whatever its code."""
        self._meeting = Meeting(within_ns)

    def came(self, at_ns: int) -> None:
        """The sensor answers (again)."""
        self.sees_from_ns = at_ns + SETTLING_NS

    def went(self) -> None:
        """The sensor is gone: no card can meet a break any more."""
        self.sees_from_ns, self.parted = None, False
        self._meeting.forget("left")

    def card(self, at_ns: int, *, sure: bool = True) -> bool:
        """A card was read, or something came that may have been one (not ``sure``); whether a break lay
        between it and the one before.
        """
        parted, self.parted = self.parted, False
        seen = self.sees_from_ns is not None and at_ns >= self.sees_from_ns
        self._meeting.say("left", Word(at_ns, sure=sure and seen))
        return parted

    def broken(self, at_ns: int) -> None:
        """The beam was broken."""
        self.parted = True
        self._meeting.say("right", Word(at_ns))

    def due(self, now_ns: int) -> list[BeamFinding]:
        """What has met nothing in its time."""
        return [
            "card_without_break" if side == "left" else "break_without_card"
            for side in self._meeting.alone(now_ns)
        ]

    def deadline_ns(self) -> int | None:
        """When ``due`` may next have something to say."""
        return self._meeting.deadline_ns()
