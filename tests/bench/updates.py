"""``python -m tests.bench.updates``: how long each update of the odds at a table takes, one by one.

All of what a table does for it, prices included, over rounds from shoes of every depth, with numpy and as the
daemon does it, without. The mark is the time itself: 50 ms for each update, under emulation too; so this
module wants nothing but msgspec and numpy. Under an emulator, with a Debian for arm64 in FOLDER and this
repository and the two packages in it: ``chroot FOLDER env PYTHONPATH=... python3 -m tests.bench.updates``.
"""

from __future__ import annotations

import os
import platform
import random
import sys
from statistics import median
from time import perf_counter, thread_time

from controller.games.baccarat import POINTS
from controller.odds.baccarat import baccarat_odds
from controller.odds.casino_holdem import holdem_strength
from controller.odds.prices import prices
from controller.odds.tableau import outcome
from controller.vocabulary.cards import DECK_52, RANKS, Card
from tests.bench.timing import Grown, Mark, in_words, part_arguments, told

MOST_S = 0.05
ENGINES = {"plain": False, "numpy": True}


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    parser = part_arguments("updates", __doc__)
    parser.add_argument("--rounds", type=int, default=100, metavar="N", help="[100]")
    chosen = parser.parse_args()
    print(f"{platform.machine()}, load {os.getloadavg()[0]:.1f}, {chosen.rounds} rounds")
    marks = [mark for name in ENGINES for mark in baccarat(name, chosen.rounds)]
    strengths = Grown(
        "hold'em: strength of two hands", ("flop", "median"), [strength(flop) for flop in FLOPS]
    )
    return told(chosen.json, marks, [strengths])


def baccarat(engine: str, rounds: int) -> list[Mark]:
    """Processor time of each update by the number of known cards, the first of a state as well."""
    dice = random.Random(6)
    took: dict[int, list[float]] = {}
    whole = []
    for _ in range(rounds):
        shoe = dice.sample(DECK_52 * 8, 416)[: dice.randint(30, 416)]
        dealt: list[Card] = []
        sum_ = 0.0
        while outcome([POINTS[card[0]] for card in dealt]) is None:
            left = {rank: sum(card[0] == rank for card in shoe) for rank in RANKS}
            begun = thread_time()
            prices(baccarat_odds(left, dealt, numpy=ENGINES[engine]))
            spent = thread_time() - begun
            took.setdefault(len(dealt), []).append(spent)
            sum_ += spent
            dealt.append(shoe.pop())
        whole.append(sum_)
    marks = [mark(f"{engine}, {known} known cards", each) for known, each in sorted(took.items())]
    return [*marks, mark(f"{engine}, all updates of a round", whole)]


def mark(what: str, took_s: list[float]) -> Mark:
    """The median against the time an update may take; the longest is told."""
    middle, longest = median(took_s), f"longest {in_words(max(took_s))}"
    return Mark(f"baccarat, {what}", in_words(middle), longest, middle / MOST_S, 1.0, at_least=False)


FLOPS = {
    "three suits": "AS KD 7C 7H QH 7S 2D",
    "two suits": "9S 8S 2H 2D 7S 6S 2C",
    "one suit": "AS KD QD QC QS 7S 2S",
}


def strength(flop: str) -> tuple[str, ...]:
    """Processor time of one decision."""
    cards = [Card(card) for card in FLOPS[flop].split()]
    took = []
    end = perf_counter() + 1.0
    while perf_counter() < end or len(took) < 3:
        begun = thread_time()
        holdem_strength({"hand1": cards[:2], "hand2": cards[2:4]}, cards[4:])
        took.append(thread_time() - begun)
    return flop, in_words(median(took))


if __name__ == "__main__":
    sys.exit(main())
