"""The beam across the shoe's exit, held against the cards that are read: each break must pair with a card,
and each card with a break.

A break without a card is a card that was not read. A card without a break is no card that left the shoe, or
the beam is blind: people have to look. Pure: the times of the readings go in.
"""

from __future__ import annotations

from typing import Literal

from controller.shell.intake.pairing import Pairing

BeamFinding = Literal["break_without_card", "card_without_break"]


class Beam(Pairing):
    """A sensor that sees a card pass, and not which."""

    def __init__(self, within_ns: int) -> None:
        super().__init__(within_ns)
        self._parted = False
        """The beam was broken since the last card: the next one is another card, whatever its code."""

    def disconnected(self) -> None:
        """The sensor is gone: no card can pair with a break any more."""
        super().disconnected()
        self._parted = False

    def card(self, at_ns: int, *, sure: bool = True) -> bool:
        """A card was read, or something came that may have been one (not ``sure``); whether a break lay
        between it and the one before.
        """
        parted, self._parted = self._parted, False
        self.from_shoe(at_ns, sure=sure)
        return parted

    def broken(self, at_ns: int) -> None:
        """The beam was broken."""
        self._parted = True
        self.from_witness(at_ns)

    def due(self, now_ns: int) -> list[BeamFinding]:
        """What has paired with nothing in its time."""
        return [
            "card_without_break" if side == "shoe" else "break_without_card" for side in self.missed(now_ns)
        ]
