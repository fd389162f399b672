"""What the shoe shows of one card: the pictures of a passage, read and judged as the driver does it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from drivers.camera.passage import Card, Passages
from drivers.camera.plain.library import RANKS, SUITS
from drivers.camera.plain.marks import marks_of
from drivers.camera.plain.reader import DeckReader, Sighting
from drivers.camera.plain.scene import Picture, damaged, seen
from drivers.camera.wire import PictureSeen
from drivers.readings import CardReported
from tests.plain.spoiled import CONDITIONS

AGREEING, PICTURES = 3, 5
DECK = frozenset(rank + suit for rank in RANKS for suit in SUITS)
_WAY_PX = 60.0


def passage(face: Picture, condition: str, dice: np.random.Generator) -> list[Picture]:
    """A card that slides by in a condition: what has happened to it stays, its place and the noise change."""
    damage, lie, camera = CONDITIONS[condition](dice)
    card = damaged(face, damage, dice)
    ways = lie.y_px + np.linspace(-_WAY_PX, _WAY_PX, PICTURES)
    return [seen([(card, replace(lie, y_px=float(y)))], camera, dice) for y in ways]


def read(reader: DeckReader, pictures: Sequence[Picture]) -> tuple[list[list[Sighting]], list[Card]]:
    """What is seen in each picture, and what the passage tells."""
    passages, found = Passages(AGREEING), [reader.read(picture) for picture in pictures]
    told: list[Card] = []
    for number, sightings in enumerate(found):
        told += passages.see(PictureSeen(number, marks=marks_of(sightings), present=True))
    for number in range(AGREEING):
        told += passages.see(PictureSeen(len(found) + number))
    return found, told


def judged(
    card: str, condition: str, found: Sequence[Sequence[Sighting]], told: Sequence[Card]
) -> Counter[str]:
    """What a passage was: right, unread, wrong, foreign; and so its single pictures.

    `card`: empty where the design was not learnt, so that every card that is told is a wrong one.
    """
    codes = [one.code for one in told if isinstance(one, CardReported)]
    wrong = [code for code in codes if code in DECK and code != card]
    right = bool(codes) and set(codes) == {card} and len(told) == 1
    counts = Counter({"passages": 1, "right": int(right), "wrong": int(bool(wrong))})
    counts["called foreign"] = int(any(code not in DECK for code in codes))
    counts["frames"] = counts[f"frames {condition}"] = len(found)
    for sightings in found:
        names = [one.name for one in sightings if one.verdict == "card"]
        as_it_is = names == [card] and len(sightings) == 1
        counts["frames right"] += as_it_is
        counts[f"frames {condition} right"] += as_it_is
        counts["frames wrong"] += any(name != card for name in names)
    return counts
