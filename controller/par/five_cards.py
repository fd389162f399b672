"""All five-card hands of one deck by what decides a poker hand: the ranks, and whether the suits are one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement
from math import comb, prod

from controller.vocabulary.cards import SUITS, Card


def rank_sets(ranks: Sequence[str], size: int) -> Iterator[tuple[str, ...]]:
    """Every choice of ``size`` ranks with at most four of each."""
    for chosen in combinations_with_replacement(ranks, size):
        if max(Counter(chosen).values()) <= len(SUITS):
            yield chosen


def suit_ways(chosen: Sequence[str]) -> int:
    """In how many ways the ranks can get suits."""
    return prod(comb(len(SUITS), copies) for copies in Counter(chosen).values())


def hands_with_ways(ranks: Sequence[str]) -> Iterator[tuple[list[Card], int]]:
    """One hand for each choice of ranks, flush and not, with the number of hands like it."""
    for chosen in rank_sets(ranks, 5):
        flushes = len(SUITS) if len(set(chosen)) == 5 else 0
        if flushes:
            yield [Card(rank + SUITS[0]) for rank in chosen], flushes
        yield _mixed(chosen), suit_ways(chosen) - flushes


def _mixed(chosen: Sequence[str]) -> list[Card]:
    """The ranks in more than one suit, copies of a rank in different ones."""
    seen: Counter[str] = Counter()
    hand = []
    for place, rank in enumerate(chosen):
        first = 1 if place == 0 else 0
        hand.append(Card(rank + SUITS[(first + seen[rank]) % 4]))
        seen[rank] += 1
    return hand
