"""How a card is a number: the layout of the keys that :mod:`controller.odds.seven` adds up and looks up."""

from __future__ import annotations

from controller.vocabulary.cards import DECK_52, SUITS, Card

RANKS_UP = "23456789TJQKA"
LOW_RANKS = 6

LOW_NUMBERS = (1, 5, 24, 112, 521, 2247)
HIGH_NUMBERS = (*LOW_NUMBERS, 9244)
"""Each is the least that keeps apart all sums of up to seven ranks, none more than four times."""

LOW_FIELD = (1 << 14) - 1
SUIT_SHIFT = 14
HIGH_SHIFT = SUIT_SHIFT + 6 * len(SUITS)

TABLE_LENGTHS = {"rows": 10_552, "columns": 43_718, "strengths": 49_205, "flushes": 8_192}
"""The four tables in the order of the file, 16 bits an entry, little end first: 218 KiB in all."""


def rank_key(rank: int) -> int:
    """What a rank, 0 for the deuce to 12 for the ace, adds to a key."""
    return LOW_NUMBERS[rank] if rank < LOW_RANKS else HIGH_NUMBERS[rank - LOW_RANKS] << HIGH_SHIFT


RANK_OF: dict[Card, int] = {card: RANKS_UP.index(card[0]) for card in DECK_52}
SUIT_OF: dict[Card, int] = {card: SUITS.index(card[1]) for card in DECK_52}
KEYS: dict[Card, int] = {
    card: rank_key(RANK_OF[card]) + (7 << SUIT_SHIFT + 6 * SUIT_OF[card]) for card in DECK_52
}
"""What each card adds to a key."""

RANK_BITS: dict[Card, int] = {card: 1 << 13 * SUIT_OF[card] + RANK_OF[card] for card in DECK_52}
"""One bit for each card; suit by suit, the deuce lowest."""
