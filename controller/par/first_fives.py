"""The 2,598,960 first fives of hold'em, a hand for each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from math import comb, prod

from controller.vocabulary.cards import RANKS, SUITS, Card


def first_fives() -> Iterator[tuple[list[Card], int]]:
    """One hand for each choice of ranks, flush and not, with the number of hands like it."""
    for chosen in combinations_with_replacement(RANKS, 5):
        copies = Counter(chosen)
        if max(copies.values()) > len(SUITS):
            continue
        flushes = len(SUITS) if len(copies) == 5 else 0
        if flushes:
            yield [Card(rank + SUITS[0]) for rank in chosen], flushes
        yield _mixed(chosen), prod(comb(len(SUITS), held) for held in copies.values()) - flushes


def _mixed(chosen: tuple[str, ...]) -> list[Card]:
    """The ranks in more than one suit, copies of a rank in different ones."""
    seen: Counter[str] = Counter()
    hand = []
    for place, rank in enumerate(chosen):
        first = 1 if place == 0 else 0
        hand.append(Card(rank + SUITS[(first + seen[rank]) % 4]))
        seen[rank] += 1
    return hand
