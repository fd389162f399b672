"""What must be true of every history: each oracle is a naive model of its own that hears and sees it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.simulation.course import Message, Told
    from tests.simulation.felt import Out
    from tests.simulation.world import World


class Oracle:
    """Looks on, and raises a :class:`Violation` where a rule is broken. Every method may be left out."""

    def message(self, world: World, message: Message) -> None:
        """The table says this; felt and course are still as they were before it."""

    def answered(self, world: World, told: Told) -> None:
        """All that came back from one thing that was said to the table."""

    def drawn(self, world: World, out: Out, told: Told) -> None:
        """A card left the shoe, was reported and put somewhere."""

    def acted(self, world: World) -> None:
        """An act of people is over."""

    def ended(self, world: World) -> None:
        """The history is over."""
