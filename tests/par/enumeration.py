"""Baccarat and 2 Card Action enumerated once more, with nothing of the product: the rules typed again.

Ranks are 0 (ace) to 12 (king); what a round makes is a plain record with the ways to it, so that a test can
say in its own words which rounds a spot wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import product
from math import perm
from typing import NamedTuple


class Round(NamedTuple):
    """What one round of baccarat makes."""

    player: int
    banker: int
    player_cards: int
    banker_cards: int
    natural: bool
    player_pair: bool
    banker_pair: bool
    player_perfect: bool
    banker_perfect: bool
    equal_pairs: bool

    @property
    def winner(self) -> str:
        if self.player == self.banker:
            return "tie"
        return "player" if self.player > self.banker else "banker"


POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0)


@cache
def baccarat(decks: int) -> Counter[Round]:
    """Every round of six ordered cards, by what it makes; a shorter one counts with all its endings."""
    fours: Counter[tuple[tuple[int, ...], tuple[bool, ...]]] = Counter()
    for ranks in product(range(13), repeat=4):
        same = tuple(ranks.index(rank) for rank in ranks)
        for kinds, ways in _suits(same, decks):
            fours[tuple(POINTS[rank] for rank in ranks), kinds] += ways
    rounds: Counter[Round] = Counter()
    for (points, kinds), ways in fours.items():
        left = [4 * decks] * 10
        left[0] = 16 * decks
        for point in points:
            left[point] -= 1
        for made, more in _thirds(points, left):
            rounds[Round(*made, *kinds)] += ways * more
    return rounds


@cache
def _suits(same: tuple[int, ...], decks: int) -> list[tuple[tuple[bool, ...], int]]:
    """Four cards whose ranks are equal as ``same`` says: which hands pair, perfectly or not, and the ways."""
    found: Counter[tuple[bool, ...]] = Counter()
    for suits in product(range(4), repeat=4):
        cards = list(zip(same, suits, strict=True))
        ways = 1
        for place, card in enumerate(cards):
            ways *= max(0, decks - cards[:place].count(card))
        pairs = same[0] == same[2], same[1] == same[3]
        equal = all(pairs) and same[0] == same[1]
        found[(*pairs, cards[0] == cards[2], cards[1] == cards[3], equal)] += ways
    return [(kinds, ways) for kinds, ways in found.items() if ways]


def _thirds(
    points: tuple[int, ...], left: list[int]
) -> Iterator[tuple[tuple[int, int, int, int, bool], int]]:
    """The thirds: totals, cards of each side, natural; and the ordered ways for the fifth and sixth card."""
    player, banker = (points[0] + points[2]) % 10, (points[1] + points[3]) % 10
    cards = sum(left)
    if player >= 8 or banker >= 8:
        yield (player, banker, 2, 2, True), perm(cards, 2)
        return
    if player >= 6:
        if banker >= 6:
            yield (player, banker, 2, 2, False), perm(cards, 2)
            return
        for third in range(10):
            yield (player, (banker + third) % 10, 2, 3, False), left[third] * (cards - 1)
        return
    for third in range(10):
        now = (player + third) % 10
        # Banker 3 draws unless 8; 4 against 2-7; 5 against 4-7; 6 against 6-7.
        least = {3: 0, 4: 2, 5: 4, 6: 6}.get(banker, 10)
        draws = banker <= 2 or (banker == 3 and third != 8) or (4 <= banker <= 6 and least <= third <= 7)
        if not draws:
            yield (now, banker, 3, 2, False), left[third] * (cards - 1)
            continue
        for last in range(10):
            yield (
                (now, (banker + last) % 10, 3, 3, False),
                left[third] * (left[last] - (third == last)),
            )


@cache
def two_cards(decks: int) -> Counter[tuple[int, int, bool]]:
    """First rank, second rank, suited: ordered ways."""
    found: Counter[tuple[int, int, bool]] = Counter()
    for first, second in product(range(52), repeat=2):
        found[first % 13, second % 13, first // 13 == second // 13] += decks * (decks - (first == second))
    return found
