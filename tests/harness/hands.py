"""The dealer's hand at a shoe: draws a card, and hears what the shoe thinks of the round."""

from __future__ import annotations

from drivers.angel_eye.simulator import SimulatedAngelEye
from tests.harness.house import Shoe
from tests.harness.rules_by_hand import Played

LOOK_S = 0.05
"""How long somebody waits before looking again whether all is as it was."""


class Hand:
    """Angel Eye locks, numbers its reports and knows baccarat; Bee-Tek says its line once and forgets it."""

    def __init__(self, shoe: Shoe) -> None:
        self._shoe = shoe
        self.result = b""
        """What the shoe said of the last round; nothing, where it knows no results."""

    def draw(self, card: str, hand: str, number: int) -> bool:
        """Draw this card; false where the shoe lets none out."""
        return self._shoe.draw(card, hand, number)

    def finished(self, played: Played) -> None:
        """The deal is over; a shoe that knows the game says what it makes of it."""
        self.result = self._shoe.result(played.winner, *played.pairs) or b""

    def settled(self) -> bool:
        """Whether the shoe has nothing to say any more, as far as it can know; waits a little for it."""
        return not isinstance(self._shoe, SimulatedAngelEye) or self._shoe.wait_settled(LOOK_S)

    def wait(self) -> None:
        """Wait a little, less where something happens."""
        with self._shoe.guard:
            self._shoe.guard.wait(LOOK_S)
