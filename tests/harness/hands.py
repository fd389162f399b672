"""The dealer's hand at a shoe: draws a card, and hears what the shoe thinks of the round."""

from __future__ import annotations

from drivers.angel_eye.simulator import SimulatedAngelEye
from drivers.bee_tek.simulator import SimulatedBeeTek
from tests.harness.rules_by_hand import Played

LOOK_S = 0.05
"""How long somebody waits before looking again whether all is as it was."""


class Hand:
    """A dealer's hand at a shoe that says everything once, and knows no results: Bee-Tek."""

    def __init__(self, shoe: SimulatedAngelEye | SimulatedBeeTek) -> None:
        self._shoe = shoe

    def draw(self, card: str, hand: str, number: int) -> bool:
        """Draw this card; false where the shoe lets none out."""
        return self._shoe.draw(card, hand, number)

    def finished(self, played: Played) -> None:
        """The deal is over; a shoe that knows the game says what it makes of it."""

    def settled(self) -> bool:
        """Whether the shoe has nothing to say any more, as far as it can know; waits a little for it."""
        return True

    def result(self) -> bytes:
        """What it said of the last round; nothing, where it knows no results."""
        return b""

    def wait(self) -> None:
        """Wait a little, less where something happens."""
        with self._shoe.guard:
            self._shoe.guard.wait(LOOK_S)


class AngelEyeHand(Hand):
    """At a shoe that locks, numbers and knows baccarat."""

    def __init__(self, shoe: SimulatedAngelEye) -> None:
        super().__init__(shoe)
        self._knowing, self._result = shoe, b""

    def finished(self, played: Played) -> None:
        self._result = self._knowing.result(played.winner, *played.pairs)

    def result(self) -> bytes:
        return self._result

    def settled(self) -> bool:
        return self._knowing.wait_settled(LOOK_S)


def hand_at(shoe: SimulatedAngelEye | SimulatedBeeTek) -> Hand:
    """The hand at this shoe."""
    return AngelEyeHand(shoe) if isinstance(shoe, SimulatedAngelEye) else Hand(shoe)
