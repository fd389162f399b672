"""``python -m tests.measure.unshuffled``: how often the watch for factory order cries wolf, and what it sees.

The same statistics as ``controller.shoe.unshuffled``, with numpy over many shoes at once; a test holds the
two against each other.
"""

from __future__ import annotations

import argparse
import sys
import time
from math import comb

import numpy as np
import numpy.typing as npt

from controller.shoe.unshuffled import DENSE, RUN
from controller.vocabulary.cards import DECK_40, DECK_52, RANKS, SUITS, Card

Shoes = npt.NDArray[np.int16]
"""One shoe a row, a card as 16 x suit + rank."""

SIZES = ((DECK_40, 1), (DECK_52, 1), (DECK_52, 4), (DECK_52, 6), (DECK_52, 8))
SEEN = ((DECK_52, 1, 11), (DECK_40, 1, 10), (DECK_40, 1, 40), (DECK_52, 1, 52), (DECK_52, 8, 416))
"""Deck, decks, and cards that are drawn: one hold'em round, one seat of Two Cards High, whole shoes."""
BATCH = 4_000


def coded(deck: tuple[Card, ...], decks: int) -> npt.NDArray[np.int16]:
    """The cards of a shoe in factory order."""
    return np.array([16 * SUITS.index(card[1]) + RANKS.index(card[0]) + 1 for card in deck * decks], np.int16)


def shuffled(order: npt.NDArray[np.int16], shoes: int, chance: np.random.Generator) -> Shoes:
    """So many fair shuffles."""
    return order[np.argsort(chance.random((shoes, len(order)), dtype=np.float32), axis=1)]


def cut(shoes: Shoes, chance: np.random.Generator) -> Shoes:
    """Each shoe cut once, anywhere."""
    number, size = shoes.shape
    at = chance.integers(1, size, size=(number, 1))
    return np.take_along_axis(shoes, (np.arange(size) + at) % size, 1)


def riffled(shoes: Shoes, chance: np.random.Generator) -> Shoes:
    """Each shoe riffled once, as Gilbert, Shannon and Reeds describe it."""
    number, size = shoes.shape
    packet = chance.binomial(size, 0.5, size=(number, 1))
    left = np.argsort(np.argsort(chance.random((number, size)), axis=1), axis=1) < packet
    places = np.where(left, np.cumsum(left, 1) - 1, np.cumsum(~left, 1) - 1 + packet)
    return np.take_along_axis(shoes, places, 1)


def alarms(shoes: Shoes) -> npt.NDArray[np.int64]:
    """For each shoe after how many cards the alarm comes, 0 where none does."""
    before, after = shoes[:, :-1], shoes[:, 1:]
    same, distance = (before >> 4) == (after >> 4), ((after & 15) - (before & 15)) % 13
    up, down = same & (distance == 1), same & (distance == 12)
    counts = np.cumsum(up | down, 1, dtype=np.int16)
    hit = np.zeros(counts.shape, bool)
    for window, needed in DENSE:
        dense = counts.copy()
        dense[:, window:] -= counts[:, :-window]
        hit |= dense >= needed
    for steps in (up, down):
        run = np.zeros(len(shoes), np.int16)
        for place in range(steps.shape[1]):
            run = (run + 1) * steps[:, place]
            hit[:, place] |= run >= RUN - 1
    return np.where(hit.any(1), hit.argmax(1) + 2, 0)


def false_alarms(deck: tuple[Card, ...], decks: int, shoes: int, chance: np.random.Generator) -> int:
    """In so many shuffled shoes."""
    order = coded(deck, decks)
    return sum(
        int((alarms(shuffled(order, min(BATCH, shoes - done), chance)) > 0).sum())
        for done in range(0, shoes, BATCH)
    )


def expected_false_alarms(deck: tuple[Card, ...], decks: int) -> float:
    """An upper bound for one shoe by the binomial law: all windows at all places, and all runs."""
    size = len(deck) * decks
    pair = 2 * decks / (size - 1)
    dense = sum(
        max(1, size - window)
        * sum(
            comb(pairs, hits) * pair**hits * (1 - pair) ** (pairs - hits) for hits in range(needed, pairs + 1)
        )
        for window, needed in DENSE
        for pairs in (min(window, size - 1),)
    )
    return dense + 2 * size * (pair / 2) ** (RUN - 1)


def detection(shoes: Shoes, seen: int) -> tuple[float, float]:
    """The part that is seen among the first so many cards, and the median card at which."""
    at = alarms(shoes[:, :seen])
    found = at[at > 0]
    return len(found) / len(at), float(np.median(found)) if len(found) else 0.0


def disorders(factory: Shoes, chance: np.random.Generator) -> dict[str, Shoes]:
    """What a pack may have gone through that nobody shuffled, or not enough."""
    once = riffled(factory, chance)
    twice = riffled(once, chance)
    return {
        "factory order": factory,
        "one cut": cut(factory, chance),
        "one riffle": once,
        "two riffles": twice,
        "three riffles": riffled(twice, chance),
    }


def main() -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.measure.unshuffled", description=__doc__)
    parser.add_argument("--shoes", type=int, default=1_000_000, help="shuffled shoes of each size [1000000]")
    parser.add_argument("--seed", type=int, default=20260131)
    asked = parser.parse_args()
    chance = np.random.default_rng(asked.seed)
    for deck, decks in SIZES:
        started = time.monotonic()
        found = false_alarms(deck, decks, asked.shoes, chance)
        bound = expected_false_alarms(deck, decks)
        print(
            f"{len(deck) * decks:>4} cards: {found} false alarms in {asked.shoes:,} shuffled shoes;"
            f" at most {bound:.1e} a shoe by the binomial law ({time.monotonic() - started:.0f} s)",
            flush=True,
        )
    for deck, decks, seen in SEEN:
        told = []
        for name, shoes in disorders(np.tile(coded(deck, decks), (BATCH // 2, 1)), chance).items():
            rate, at = detection(shoes, seen)
            told.append(f"{name} {100 * rate:.1f} %" + (f" (card {at:.0f})" if rate else ""))
        print(f"first {seen} of {len(deck) * decks} cards: {', '.join(told)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
