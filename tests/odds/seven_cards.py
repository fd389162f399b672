"""The strength of seven cards in one call, from the tables of ``controller.odds.seven``; in plain Python."""

from __future__ import annotations

from controller.games import poker
from controller.odds.keys import HIGH_SHIFT, KEYS, LOW_FIELD, RANK_BITS, SUIT_SHIFT
from controller.odds.seven import columns, flushes, rows, strengths
from controller.vocabulary.cards import Card

FIVE_OF_A_SUIT = sum(32 << SUIT_SHIFT + 6 * suit for suit in range(4))
CATEGORIES: tuple[tuple[str, int], ...] = tuple(
    zip(poker.CATEGORIES, (1, 1278, 4138, 4996, 5854, 5864, 7141, 7297, 7453, 7462), strict=True)
)
"""Each category and the least strength in it."""

_NUMBER_KEYS = list(KEYS.values())
_NUMBER_BITS = list(RANK_BITS.values())
_SUIT_BITS = {32 << SUIT_SHIFT + 6 * suit: 13 * suit for suit in range(4)}
"""Where in a sum of ``RANK_BITS`` the ranks of the suit with five cards begin."""


def strength7(a: Card, b: Card, c: Card, d: Card, e: Card, f: Card, g: Card) -> int:
    """The strength of the best five of seven different cards, 1 to 7,462; KeyError if one is no card."""
    key = KEYS[a] + KEYS[b] + KEYS[c] + KEYS[d] + KEYS[e] + KEYS[f] + KEYS[g]
    if key & FIVE_OF_A_SUIT:
        bits = RANK_BITS
        return flush_strength(key, bits[a] + bits[b] + bits[c] + bits[d] + bits[e] + bits[f] + bits[g])
    return strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]


def strength7_numbers(a: int, b: int, c: int, d: int, e: int, f: int, g: int) -> int:
    """:func:`strength7` of cards given as their places in ``DECK_52``, 0 to 51."""
    keys = _NUMBER_KEYS
    key = keys[a] + keys[b] + keys[c] + keys[d] + keys[e] + keys[f] + keys[g]
    if key & FIVE_OF_A_SUIT:
        bits = _NUMBER_BITS
        return flush_strength(key, bits[a] + bits[b] + bits[c] + bits[d] + bits[e] + bits[f] + bits[g])
    return strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]


def flush_strength(key: int, bits: int) -> int:
    """The strength of seven cards of which five or more are of one suit, from the sum of their
    ``RANK_BITS``."""
    return flushes[bits >> _SUIT_BITS[key & FIVE_OF_A_SUIT] & 8191]
