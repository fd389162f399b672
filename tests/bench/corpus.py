"""The corpus of the camera's benches: cards with marks of 3 pixels a module in pictures of 640 x 480, in 17
conditions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from controller.shoe.code_map import check_text
from controller.vocabulary.cards import DECK_52
from controller.vocabulary.configuration import CodeMap
from drivers.camera.rendering import Optics, Picture, Pose, card, picture, scratched

Dice = np.random.Generator
Scene = tuple[Pose, Optics, int]
"""Where the card lies, what the camera does, how many scratches the card has."""
CHECK = "mod37"
CARDS = CodeMap(
    kind="pattern",
    pattern=r"C(?P<set>\d)-(?P<rank>[A2-9TJQK])(?P<suit>[SHDC])-(?P<serial>\d{6})(?P<check>[0-9A-Z*])",
    check="mod37",
)


def scene(dice: Dice, optics: Optics | None = None, scratches: int = 0, **pose: float) -> Scene:
    """A card that lies nearly straight, but for what is said."""
    straight: dict[str, Any] = {
        "turn_deg": dice.uniform(-3, 3),
        "tilt_deg": dice.uniform(-4, 4),
        "lean_deg": dice.uniform(-4, 4),
    }
    place = Pose(dice.uniform(-15, 15), dice.uniform(-30, 30), **{**straight, **pose})
    return place, optics or Optics(), scratches


def either(dice: Dice, least: float, most: float) -> float:
    """An angle of this size to either side."""
    return float(dice.choice((-1, 1)) * dice.uniform(least, most))


CONDITIONS: dict[str, Callable[[Dice], Scene]] = {
    "clean": lambda dice: scene(dice),
    "blur 1.6 px": lambda dice: scene(dice, Optics(blur_px=1.6)),
    "blur 2.6 px": lambda dice: scene(dice, Optics(blur_px=2.6)),
    "noise 25": lambda dice: scene(dice, Optics(noise=25)),
    "noise 60": lambda dice: scene(dice, Optics(noise=60)),
    "turned to 15 deg": lambda dice: scene(dice, turn_deg=dice.uniform(-15, 15)),
    "turned 20 to 40 deg": lambda dice: scene(dice, turn_deg=either(dice, 20, 40)),
    "tilted 15 to 25 deg": lambda dice: scene(dice, tilt_deg=either(dice, 15, 25)),
    "tilted 30 to 42 deg": lambda dice: scene(dice, tilt_deg=either(dice, 30, 42)),
    "contrast 0.3": lambda dice: scene(dice, Optics(contrast=0.3, noise=6)),
    "contrast 0.1": lambda dice: scene(dice, Optics(contrast=0.1, noise=8)),
    "motion 5 px": lambda dice: scene(dice, Optics(motion_px=5, motion_deg=dice.uniform(0, 180))),
    "motion 9 px": lambda dice: scene(dice, Optics(motion_px=9, motion_deg=dice.uniform(0, 180))),
    "4 scratches": lambda dice: scene(dice, scratches=4),
    "14 scratches": lambda dice: scene(dice, scratches=14),
    "mixed, light": lambda dice: scene(
        dice,
        Optics(blur_px=1.2, noise=12, contrast=0.5),
        2,
        turn_deg=dice.uniform(-12, 12),
        tilt_deg=dice.uniform(-15, 15),
    ),
    "mixed, heavy": lambda dice: scene(
        dice,
        Optics(blur_px=1.8, noise=18, contrast=0.4, motion_px=3, motion_deg=dice.uniform(0, 180)),
        4,
        turn_deg=dice.uniform(-25, 25),
        tilt_deg=dice.uniform(-25, 25),
    ),
}


def code(dice: Dice) -> str:
    """A card's code with its check digit, for example C1-7H-000123K."""
    begin = f"C{dice.integers(1, 9)}-{dice.choice(DECK_52)}-{dice.integers(0, 10**6):06d}"
    alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return begin + check_text(CHECK, [alphabet.index(letter) for letter in begin if letter.isalnum()])


def drawn(text: str, scene: Scene, dice: Dice) -> Picture:
    """The picture of a scene."""
    pose, optics, scratches = scene
    flat = card(text)
    return picture([(scratched(flat, scratches, dice) if scratches else flat, pose)], optics, dice)


def degraded(dice: Dice) -> Scene:
    """A scene that is not clean; every other one has up to thirty scratches more."""
    ways = [make for name, make in CONDITIONS.items() if name != "clean"]
    pose, optics, scratches = ways[dice.integers(len(ways))](dice)
    return pose, optics, scratches + (int(dice.integers(0, 31)) if dice.random() < 0.5 else 0)
