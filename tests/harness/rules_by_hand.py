"""Baccarat once more, written from the rules without a look at the program: what the physical cards make."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

RANKS = "A23456789TJQK"
SUITS = "SHDC"
BANKER_DRAWS_AGAINST = {3: "012345679", 4: "234567", 5: "4567", 6: "67"}
"""Banker's total -> values of the player's third card against which the banker draws."""


def new_shoe(decks: int = 8) -> list[str]:
    """All cards of so many decks, in factory order."""
    return [rank + suit for suit in SUITS for rank in RANKS] * decks


def points(cards: list[str]) -> int:
    """Total of a hand, 0 to 9."""
    return sum(min(RANKS.index(card[0]) + 1, 10) for card in cards) % 10


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
        total = points(banker)
        if points(player) <= 5:
            player.append(draw("player", 3))
            third = str(points([player[2]]))
            draws = total <= 2 or third in BANKER_DRAWS_AGAINST.get(total, "")
        else:
            draws = total <= 5
        if draws:
            banker.append(draw("banker", 3))
    return Played(tuple(player), tuple(banker))
