"""A round of baccarat on points alone, numbered as the tables number it.

Cards are points 0 to 9 in deal order: player, banker, player, banker, then the thirds. The drawing rules
themselves are those of the game (paragraphs 2.6 and 2.7).
"""

from __future__ import annotations

from collections.abc import Sequence

from controller.games.baccarat import banker_draws, player_draws, total, winner

WINNERS = ("player", "banker", "tie")
OUTCOMES = 9
"""An outcome is 3 x (cards - 4) + the place of the winner in ``WINNERS``."""


def outcome(points: Sequence[int]) -> int | None:
    """The outcome of a round from its cards so far, None while a card is still due; a surplus is ignored."""
    if len(points) < 4:
        return None
    player, banker = [points[0], points[2]], [points[1], points[3]]
    two, bank_two = total(player), total(banker)
    rest = list(points[4:])
    if player_draws(two, bank_two):
        if not rest:
            return None
        player.append(rest.pop(0))
    if banker_draws(two, bank_two, player[2] if len(player) == 3 else None):
        if not rest:
            return None
        banker.append(rest.pop(0))
    cards = len(player) + len(banker)
    return 3 * (cards - 4) + WINNERS.index(winner(total(player), total(banker)))


def cards_of(number: int) -> int:
    """How many cards a round with this outcome takes."""
    return 4 + number // 3
