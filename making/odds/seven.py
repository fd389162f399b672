"""The tables of :mod:`controller.odds.seven` from the poker ranking of the games."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from itertools import combinations

from controller.games import poker
from controller.odds.keys import HIGH_NUMBERS, LOW_NUMBERS, LOW_RANKS, RANKS_UP, TABLE_LENGTHS
from controller.vocabulary.cards import Card

RANKS = len(RANKS_UP)


def tables() -> dict[str, bytes]:
    """``seven``: the four tables one after the other, 16-bit integers, little end first."""
    places = {strength: place for place, strength in enumerate(sorted(_five_card_strengths()), 1)}
    low_parts = list(_parts(LOW_RANKS))
    high_parts = list(_parts(RANKS - LOW_RANKS))
    rows, columns = [0] * TABLE_LENGTHS["rows"], [0] * TABLE_LENGTHS["columns"]
    strengths: list[int] = []
    for size in range(8):
        highs = [part for part in high_parts if sum(part) == 7 - size]
        for place, high in enumerate(highs):
            columns[_field(high, HIGH_NUMBERS)] = place
        for low in (part for part in low_parts if sum(part) == size):
            rows[_field(low, LOW_NUMBERS)] = len(strengths)
            strengths += [places[_unsuited(low + high)] for high in highs]
    flushes = [places[_suited(bits)] if 5 <= bits.bit_count() <= 7 else 0 for bits in range(1 << RANKS)]
    parts = {"rows": rows, "columns": columns, "strengths": strengths, "flushes": flushes}
    for name, length in TABLE_LENGTHS.items():
        if len(parts[name]) != length:
            raise ValueError(f"table {name} has {len(parts[name])} entries, expected {length}")
    entries = [entry for name in TABLE_LENGTHS for entry in parts[name]]
    return {"seven": struct.pack(f"<{len(entries)}H", *entries)}


def _five_card_strengths() -> set[int]:
    """Every strength that five cards can have, as the games rank them."""
    suited = {_suited(sum(1 << rank for rank in five)) for five in combinations(range(RANKS), 5)}
    return suited | {_unsuited(part) for part in _parts(RANKS) if sum(part) == 5}


def _unsuited(counts: Sequence[int]) -> int:
    """The strength of cards that are no flush, from how many there are of each rank, deuce first."""
    at_least = [sum(1 << rank for rank in range(RANKS) if counts[rank] >= times) for times in (1, 2, 3, 4)]
    return poker.rank_strength(*at_least)


def _suited(bits: int) -> int:
    """The strength of five to seven cards of one suit, from their ranks as bits, deuce lowest."""
    held = [Card(RANKS_UP[rank] + "S") for rank in range(RANKS) if bits >> rank & 1]
    return poker.strength(held)


def _parts(ranks: int) -> Iterator[tuple[int, ...]]:
    """Every way to have up to seven cards of so many ranks, none more than four times, last rank fastest."""
    parts: list[tuple[int, ...]] = [()]
    for _ in range(ranks):
        parts = [(*part, count) for part in parts for count in range(min(4, 7 - sum(part)) + 1)]
    yield from parts


def _field(part: Sequence[int], numbers: Sequence[int]) -> int:
    """The field of a key for so many cards of each rank."""
    return sum(count * number for count, number in zip(part, numbers, strict=True))
