"""A round of baccarat on points alone, numbered as the tables number it, and what the tables say of it.

Cards are points 0 to 9 in deal order: player, banker, player, banker, then the thirds. The drawing rules
themselves are those of the game (paragraphs 2.6 and 2.7).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from controller.games.baccarat import banker_draws, player_draws, total, winner
from controller.odds.multisets import count
from controller.odds.tables import load

WINNERS = ("player", "banker", "tie")
OUTCOMES = 9
"""An outcome is 3 x (cards - 4) + the place of the winner in ``WINNERS``."""
MOST_KNOWN = 4
"""Tables reach to four known cards; what is left then needs none."""


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


def coefficients(known: int, state: int) -> memoryview:
    """A byte for each outcome and multiset of the 6 - ``known`` unseen cards, in the order of the tables."""
    length = OUTCOMES * count(6 - known)
    return _table(known)[state * length : (state + 1) * length]


@cache
def _table(known: int) -> memoryview:
    """The coefficients of all states after so many known cards."""
    return memoryview(load(f"baccarat-{known}"))
