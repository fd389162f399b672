"""Baccarat on the felt, by the second reading of the rules (``tests/vectors``)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.vectors.baccarat import baccarat_points as points
from tests.vectors.baccarat import banker_wants

RANKS = "A23456789TJQK"
SUITS = "SHDC"


def new_shoe(decks: int = 8) -> list[str]:
    """All cards of so many decks, in factory order."""
    return [rank + suit for suit in SUITS for rank in RANKS] * decks


@dataclass(frozen=True)
class Played:
    """The cards of a round as they lie on the felt."""

    player: tuple[str, ...]
    banker: tuple[str, ...]

    @property
    def winner(self) -> str:
        player, banker = points(list(self.player)), points(list(self.banker))
        return "tie" if player == banker else "player" if player > banker else "banker"

    @property
    def outcome(self) -> dict[str, object]:
        """The contract's ``outcome``."""
        naturals = [points(list(hand)) >= 8 and len(hand) == 2 for hand in (self.player, self.banker)]
        return {
            "winner": self.winner,
            "player_total": points(list(self.player)),
            "banker_total": points(list(self.banker)),
            "natural": any(naturals),
        }

    @property
    def pairs(self) -> tuple[bool, bool]:
        """Player pair, banker pair."""
        return self.player[0][0] == self.player[1][0], self.banker[0][0] == self.banker[1][0]


def play(draw: Callable[[str, int], str]) -> Played:
    """Deal a round; ``draw(hand, number)`` takes the next card out of the shoe for a hand, its first is 1."""
    player, banker = [draw("player", 1)], [draw("banker", 1)]
    player.append(draw("player", 2))
    banker.append(draw("banker", 2))
    if max(points(player), points(banker)) < 8:
        if points(player) <= 5:
            player.append(draw("player", 3))
        if banker_wants(points(banker), points(player[2:]) if player[2:] else None):
            banker.append(draw("banker", 3))
    return Played(tuple(player), tuple(banker))
