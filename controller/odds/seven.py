"""How strong seven cards are: the best five of them as one number, fast in plain Python.

A card is a number and the sum of seven cards is a key. From bit 0 the key has a field that says how many
cards there are of each rank from 2 to 7; then the cards of each suit, in six bits, seven for a card, so
that the top bit of a suit is set from its fifth card on; then a field for the ranks from 8 to ace. ``rows``
and ``columns`` turn the two fields into a place in ``strengths``, where nothing is wasted: s low cards meet
only the ways to have 7 - s high ones. With five cards of one suit the other ranks do not matter (five ranks
leave no room for a full house in seven cards): ``flushes`` is asked with the ranks of that suit as bits,
the deuce lowest.

Strengths run from 1 (7-5-4-3-2) to 7,462 (a royal flush); equal strengths tie. The order is that of the
hold'em document, "Winning Hands": an ace is high, or low in 5-4-3-2-A.
"""

from __future__ import annotations

import sys
from array import array

from controller.games import poker
from controller.odds.keys import (
    FIVE_OF_A_SUIT,
    HIGH_SHIFT,
    KEYS,
    LOW_FIELD,
    RANK_BITS,
    SUIT_SHIFT,
    TABLE_LENGTHS,
)
from controller.odds.tables import load
from controller.vocabulary.cards import Card

CATEGORIES: tuple[tuple[str, int], ...] = tuple(
    zip(poker.CATEGORIES, (1, 1278, 4138, 4996, 5854, 5864, 7141, 7297, 7453, 7462), strict=True)
)
"""Each category and the least strength in it."""

_NUMBER_KEYS = list(KEYS.values())
_NUMBER_BITS = list(RANK_BITS.values())
_SUIT_BITS = {32 << SUIT_SHIFT + 6 * suit: 13 * suit for suit in range(4)}
"""Where in a sum of ``RANK_BITS`` the ranks of the suit with five cards begin."""


def _tables() -> list[array[int]]:
    """The tables of the file."""
    entries = array("H")
    entries.frombytes(load("seven"))
    if sys.byteorder == "big":
        entries.byteswap()
    tables = []
    start = 0
    for length in TABLE_LENGTHS.values():
        tables.append(entries[start : start + length])
        start += length
    return tables


rows, columns, strengths, flushes = _tables()


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


def rank_strength(key: int) -> int:
    """The strength of seven ranks where no suit has five cards; ``key`` is the sum of their ``rank_key``."""
    return strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]
