"""What a person at a table does with any simulated shoe, so that nobody who deals needs a driver's name."""

from __future__ import annotations

from abc import ABC, abstractmethod


class SimulatedShoe(ABC):
    """A shoe of software. Its methods may be called from any thread."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The path that a driver opens."""

    @abstractmethod
    def draw(self, code: str, position: str = "", index: int = 1, within_s: float = 0.0) -> bool:
        """Draw a card, as "TH", the `index`-th of a position; a shoe that only reads cards ignores both.

        Waits at most `within_s` for the lock to open. False, and no card, where it stays locked.
        """

    @abstractmethod
    def unread_card(self) -> object:
        """Draw a card that the shoe does not read."""

    def cut_card(self) -> bytes | None:
        """The cut card comes out. What the shoe says of it; None where it has no sensor."""
        return None

    def result(self, winner: str, player_pair: bool = False, banker_pair: bool = False) -> bytes | None:
        """The hands are dealt. What the shoe says its result is; None where it knows none."""
        return None

    @abstractmethod
    def unplug(self) -> None:
        """Pull the cable. The shoe itself goes on."""

    @abstractmethod
    def replug(self) -> None:
        """Put the cable in again."""

    def stop(self) -> None:  # noqa: B027 (not every shoe has a thread to end)
        """End the shoe."""
