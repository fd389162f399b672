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

from controller.odds.keys import HIGH_SHIFT, LOW_FIELD, TABLE_LENGTHS
from controller.odds.tables import load


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
strengths.extend([0] * (max(rows) + max(columns) + 1 - len(strengths)))  # also five of a rank have a place


def rank_strength(key: int) -> int:
    """The strength of seven ranks where no suit has five cards; ``key`` is the sum of their ``rank_key``."""
    return strengths[rows[key & LOW_FIELD] + columns[key >> HIGH_SHIFT]]
