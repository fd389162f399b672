"""Cards that lie on a felt, counted: ``python -m tests.plain.felt [--cards N] [--minutes M]``.

Ten cards of one of the designs of `tests.plain.designs` lie on a drawn felt (`tests.plain.felts`), at any
place and turn, with chips, the design's joker and back, and two cards of a design that was not learnt, in
fresh light, slant, size and noise. Each design is learnt from one picture of each card before the shoe's
camera. Counted are the cards that are read, what is told that does not lie there (exit status 1 where
anything is), and cards of the other design that are told as what they are. Run from the root of the
repository.
"""

from __future__ import annotations

import argparse
import math
import secrets
import sys
import time
from collections import Counter

import cv2
import numpy as np

from drivers.camera.felt.reader import FeltReader
from drivers.camera.measured import upper_bound
from tests.bench.timing import in_one_thread, table
from tests.plain.__main__ import Measured, alike, drawn
from tests.plain.designs import CardsMissing, faces, names
from tests.plain.felts import CLOTHS, Felt, Lying, middle_of, places, seen
from tests.plain.passing import DECK

CARDS, LYING, STRANGE = 4_000, 10, 2
LEAST_LIGHT, STRONG = 0.7, 75
"""What is called good light, and the quality of a picture that is compressed strongly."""
SIZES_PX = (76, 100, 130, 180)
"""Least widths of a card, each up to the next."""


def felt_of(least_px: float, most_px: float, dice: np.random.Generator) -> Felt:
    """A felt as a camera may see it."""
    return Felt(
        card_px=float(dice.uniform(least_px, most_px)),
        slant_deg=float(dice.uniform(0, 15)),
        cloth=CLOTHS[int(dice.integers(len(CLOTHS)))],
        light=float(dice.uniform(0.5, 0.98)),
        slope=float(dice.uniform(0, 0.25)),
        blur_px=float(dice.uniform(0.3, 0.7)),
        noise=float(dice.uniform(1.5, 5)),
        jpeg=int(dice.choice((0, 90, STRONG))),
    )


def counted(
    reader: FeltReader, lying: list[tuple[str, Lying]], felt: Felt, dice: np.random.Generator
) -> Counter[str]:
    """One picture: what lies there (by name; with its design where that was not learnt), and what is told."""
    picture = seen([each for _, each in lying], felt, dice, chips=8)
    began = time.process_time()
    told = reader.read(picture)
    counts = Counter({"pictures": 1, "ms": round((time.process_time() - began) * 1000)})
    at = {place: middle_of(one[1], one[2], felt) for place, (_, one) in enumerate(lying)}
    right: set[int] = set()
    for card in told:
        nearest = min(at, key=lambda place: math.dist(at[place], (card.x_px, card.y_px)))
        near = math.dist(at[nearest], (card.x_px, card.y_px)) < card.height_px / 4
        if near and lying[nearest][0] == card.name:
            right.add(nearest)
            continue
        foreign = near and lying[nearest][0].startswith(f"{card.name} of ")
        counts["foreign" if foreign else "wrong"] += 1
        print(f"told {card.name} where {lying[nearest][0]} lies", file=sys.stderr)
    counts["cards"] = sum(name in DECK for name, _ in lying)
    counts["read"] = len(right)
    return counts


def go_on(cards: int, minutes: float) -> dict[str, Counter[str]]:
    """Count until so many cards lay there, or the time is over; by size of a card and kind of picture."""
    measured, until = Measured(), time.monotonic() + minutes * 60
    every = [name for name in names() if drawn(name) and measured.library(name) is not None]
    counts: dict[str, Counter[str]] = {}
    while sum(one["cards"] for one in counts.values()) < cards and time.monotonic() < until:
        dice = np.random.default_rng(secrets.randbits(48))
        design = str(dice.choice(every))
        library = measured.library(design)
        if library is None:
            continue
        reader = FeltReader([library])
        strange = str(dice.choice([name for name in every if not alike(design, name)]))
        for _ in range(4):
            size = int(dice.integers(len(SIZES_PX) - 1))
            felt = felt_of(SIZES_PX[size], SIZES_PX[size + 1], dice)
            deck = [card for card in faces(design) if card in DECK]
            shown = [
                (str(card), faces(design)[str(card)]) for card in dice.choice(deck, LYING, replace=False)
            ]
            shown += [(name, face) for name, face in faces(design).items() if name in ("joker1", "back")]
            other = [card for card in faces(strange) if card in DECK]
            picked = [str(card) for card in dice.choice(other, STRANGE, replace=False)]
            shown += [(f"{card} of {strange}, not {design}", faces(strange)[card]) for card in picked]
            where = places(len(shown), dice, felt)
            dice.shuffle(where)
            lying = [(name, (face, *place)) for (name, face), place in zip(shown, where, strict=False)]
            good = felt.light >= LEAST_LIGHT and felt.jpeg != STRONG
            kind = "good" if good else "dim, or strongly compressed"
            key = f"{SIZES_PX[size]} to {SIZES_PX[size + 1]}, {kind}"
            counts.setdefault(key, Counter()).update(counted(reader, lying, felt, dice))
    return counts


def main() -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.plain.felt", description=__doc__)
    parser.add_argument("--cards", type=int, default=CARDS, metavar="N", help="that lie on the felt")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="stop after that")
    chosen = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        counts = go_on(chosen.cards, chosen.minutes)
    except CardsMissing as problem:
        print(f"the cards are missing: {problem}", file=sys.stderr)
        return 2
    whole = sum(counts.values(), Counter())
    rows = [
        (
            size,
            str(one["cards"]),
            f"{one['read'] / one['cards']:.3f}",
            str(one["wrong"]),
            str(one["foreign"]),
            f"{upper_bound(one['wrong'], one['cards']):.1e}",
            f"{one['ms'] / one['pictures']:.0f}",
        )
        for size, one in (*sorted(counts.items()), ("all", whole))
    ]
    print(
        table(
            (
                "card, pixels wide; picture",
                "cards",
                "read",
                "wrong",
                "foreign",
                "95 %: below",
                "ms a picture",
            ),
            rows,
        )
    )
    return 1 if whole["wrong"] else 0


if __name__ == "__main__":
    in_one_thread("tests.plain.felt")
    raise SystemExit(main())
