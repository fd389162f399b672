"""The order in which multisets of point classes are numbered, shared by the tables and by both engines.

Baccarat sees ten point classes, 0 to 9. A multiset of ``size`` cards is a low part (classes 0 to 4) and a
high part (classes 5 to 9). Multisets are numbered by the size of the low part, then by the high part, then
by the low part, so that the multisets which share a high part stand next to each other.

The ways to draw a multiset with k_c cards of class c in one given order of the classes are the product over
the classes of n_c (n_c - 1) ... (n_c - k_c + 1), the ``perm`` of the n_c cards that are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import comb, perm

CLASSES = 10
HALF = 5
LARGEST = 6
"""A round takes six cards at most (2.6)."""

Part = tuple[int, ...]
"""How many cards of each of five classes."""


@cache
def parts(size: int, classes: int = HALF) -> tuple[Part, ...]:
    """Every way to spread ``size`` cards over ``classes`` classes, in the order of :func:`products`."""
    if classes == 0:
        return ((),) if size == 0 else ()
    return tuple((*rest, last) for last in range(size + 1) for rest in parts(size - last, classes - 1))


def multisets(size: int) -> Iterator[tuple[int, int, int]]:
    """``(low_size, low, high)`` of each multiset in order: places in ``parts(low_size)`` and of the rest."""
    for low_size in range(size + 1):
        for high in range(len(parts(size - low_size))):
            for low in range(len(parts(low_size))):
                yield low_size, low, high


def count(size: int) -> int:
    """How many multisets of this size there are."""
    return comb(size + CLASSES - 1, size)


def products(counts: Sequence[int], largest: int) -> list[list[int]]:
    """For each size up to ``largest``, the ways to draw each of ``parts(size)`` from five class counts."""
    rows: list[list[int]] = [[1], *([] for _ in range(largest))]
    for count in counts:
        factors = [perm(count, length) for length in range(largest + 1)]
        rows = [
            [ways * factors[last] for last in range(size + 1) for ways in rows[size - last]]
            for size in range(largest + 1)
        ]
    return rows
