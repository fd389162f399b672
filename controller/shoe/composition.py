"""What a shoe of so many decks holds, and how many copies of each card there can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from controller.vocabulary.cards import Card


def total_cards(deck: Sequence[Card], decks: int) -> int:
    """Cards of a full shoe."""
    return len(deck) * decks


@lru_cache(maxsize=8)
def composition(deck: tuple[Card, ...], decks: int) -> dict[Card, int]:
    """Copies of each card in a full shoe."""
    return dict.fromkeys(deck, decks)


def copies(drawn: Iterable[Card | None]) -> Counter[Card]:
    """How often each known card was drawn."""
    return Counter(card for card in drawn if card is not None)


def unseen(deck: tuple[Card, ...], decks: int, seen: Iterable[Card | None]) -> dict[Card, int]:
    """What a player can still expect: the full shoe minus the cards seen (never below zero)."""
    out = copies(seen)
    return {card: max(0, count - out[card]) for card, count in composition(deck, decks).items()}
