"""What ours is timed against: other people's ways, from their packages or written down again from the
description."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from phevaluator import evaluate_cards

from controller.games.baccarat import banker_draws, player_draws

PLAYER_DRAWS = [[player_draws(player, banker) for banker in range(10)] for player in range(10)]
BANKER_DRAWS = [[banker_draws(0, banker, third) for third in range(10)] for banker in range(8)]
STANDING_BANKER_DRAWS = [[banker_draws(player, banker, None) for banker in range(10)] for player in range(10)]
WINNER = [
    [0 if player > banker else 1 if banker > player else 2 for banker in range(10)] for player in range(10)
]


def nested_loops(counts: Sequence[int]) -> list[int]:
    """Baccarat as one writes it down: loops over the hands of two and the thirds, by point class, in
    integers.

    Rules are looked up in lists and both orders of a hand of two are done at once. Ordered ways of six
    cards by 3 x (cards - 4) + winner.
    """
    four, five, six = [0] * 3, [0] * 3, [0] * 3
    left = list(counts)
    rest = sum(left) - 4
    for p1 in range(10):
        ways1 = left[p1]
        left[p1] -= 1
        for p2 in range(p1, 10):
            ways2 = ways1 * left[p2] * (1 if p1 == p2 else 2)
            if not ways2:
                continue
            left[p2] -= 1
            player = (p1 + p2) % 10
            for b1 in range(10):
                ways3 = ways2 * left[b1]
                left[b1] -= 1
                for b2 in range(b1, 10):
                    ways = ways3 * left[b2] * (1 if b1 == b2 else 2)
                    if not ways:
                        continue
                    left[b2] -= 1
                    banker = (b1 + b2) % 10
                    if PLAYER_DRAWS[player][banker]:
                        draws = BANKER_DRAWS[banker]
                        for third in range(10):
                            ways5 = ways * left[third]
                            made = WINNER[(player + third) % 10]
                            if not draws[third]:
                                five[made[banker]] += ways5
                                continue
                            left[third] -= 1
                            for last in range(10):
                                six[made[(banker + last) % 10]] += ways5 * left[last]
                            left[third] += 1
                    elif STANDING_BANKER_DRAWS[player][banker]:
                        made = WINNER[player]
                        for third in range(10):
                            five[made[(banker + third) % 10]] += ways * left[third]
                    else:
                        four[WINNER[player][banker]] += ways
                    left[b2] += 1
                left[b1] += 1
            left[p2] += 1
        left[p1] += 1
    return [ways * rest * (rest - 1) for ways in four] + [ways * (rest - 1) for ways in five] + six


def every_showdown(hole: Sequence[int], flop: Sequence[int]) -> tuple[int, int, int]:
    """Hold'em strength of one hand by 1,070,190 showdowns over phevaluator's public call, on its card
    numbers."""
    won = tied = lost = 0
    unseen = [card for card in range(52) if card not in {*hole, *flop}]
    for turn, river in combinations(unseen, 2):
        player = evaluate_cards(*flop, turn, river, *hole)
        rest = [card for card in unseen if card not in (turn, river)]
        for one, two in combinations(rest, 2):
            dealer = evaluate_cards(*flop, turn, river, one, two)
            if player < dealer:  # smaller is stronger there
                won += 1
            elif player == dealer:
                tied += 1
            else:
                lost += 1
    return won, tied, lost


def phevaluator_text(card: str) -> str:
    """One of our cards as phevaluator writes it."""
    return card[0] + card[1].lower()


def phevaluator_number(card: str) -> int:
    """One of our cards as phevaluator numbers it."""
    return 4 * "23456789TJQKA".index(card[0]) + "CDHS".index(card[1])
