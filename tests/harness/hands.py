"""The dealer's hand at a shoe: draws a card, and hears what the shoe thinks of the round."""

from __future__ import annotations

from typing import Protocol

from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.rules_by_hand import Played

LOOK_S = 0.05
"""How long somebody waits before looking again whether all is as it was."""


class Hand(Protocol):
    """What a dealer can do with a shoe."""

    def draw(self, card: str, hand: str, number: int) -> bool:
        """Draw this card; false where the shoe lets none out."""

    def finished(self, played: Played) -> None:
        """The deal is over; a shoe that knows the game says what it makes of it."""

    def settled(self) -> bool:
        """Whether the shoe has nothing to say any more, as far as it can know; waits a little for it."""

    def result(self) -> bytes:
        """What it said of the last round; nothing, where it knows no results."""

    def wait(self) -> None:
        """Wait a little, less where something happens."""


class AngelEyeHand:
    """Angel Eye: locks, numbers, knows baccarat."""

    def __init__(self, shoe: SimulatedAngelEye) -> None:
        self._shoe = shoe
        self._result = b""

    def draw(self, card: str, hand: str, number: int) -> bool:
        return self._shoe.card(card, hand, number) is not None

    def finished(self, played: Played) -> None:
        self._result = self._shoe.result(played.winner, *played.pairs)

    def result(self) -> bytes:
        return self._result

    def settled(self) -> bool:
        return self._shoe.wait_settled(LOOK_S)

    def wait(self) -> None:
        with self._shoe.guard:
            self._shoe.guard.wait(LOOK_S)


class BeeTekHand:
    """Bee-Tek: says its line once and forgets it."""

    def __init__(self, shoe: SimulatedBeeTek) -> None:
        self._shoe = shoe

    def draw(self, card: str, hand: str, number: int) -> bool:
        self._shoe.card(card)
        return True

    def finished(self, played: Played) -> None:
        """It knows no results."""

    def settled(self) -> bool:
        return True

    def result(self) -> bytes:
        return b""

    def wait(self) -> None:
        with self._shoe.guard:
            self._shoe.guard.wait(LOOK_S)


def hand_at(shoe: SimulatedAngelEye | SimulatedBeeTek) -> Hand:
    """The hand at this shoe."""
    return AngelEyeHand(shoe) if isinstance(shoe, SimulatedAngelEye) else BeeTekHand(shoe)
