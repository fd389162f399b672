"""What happens to cards and pictures: twenty conditions, each drawn afresh from a generator of chance.

A card lies across the exit (its long side is level) and slides down through the picture. `GOOD` is a new card
in good light; the others add to that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from drivers.camera.plain.scene import Camera, Damage, Lie, Picture, damaged, seen

Spoiled = tuple[Damage, Lie, Camera]
Condition = Callable[[np.random.Generator], Spoiled]
GOOD = "good"


def good(dice: np.random.Generator) -> Spoiled:
    lie = Lie(
        x_px=dice.uniform(-30, 30),
        y_px=dice.uniform(-75, 75),
        turn_deg=90 + 180 * int(dice.integers(2)) + dice.uniform(-4, 4),
        tilt_deg=dice.uniform(-2, 2),
        lean_deg=dice.uniform(-2, 2),
    )
    off = (dice.uniform(-0.4, 0.4), dice.uniform(-0.4, 0.4))
    damage = Damage(off_mm=off, ink=dice.uniform(0.9, 1.0))
    return damage, lie, Camera(light=dice.uniform(0.7, 0.98), blur_px=dice.uniform(0.5, 1.0))


def _camera(**ranges: tuple[float, float]) -> Condition:
    def condition(dice: np.random.Generator) -> Spoiled:
        damage, lie, camera = good(dice)
        drawn: dict[str, Any] = {name: dice.uniform(*span) for name, span in ranges.items()}
        return damage, lie, replace(camera, **drawn)

    return condition


def _lie(**ranges: tuple[float, float]) -> Condition:
    def condition(dice: np.random.Generator) -> Spoiled:
        damage, lie, camera = good(dice)
        drawn = {name: dice.uniform(*span) * dice.choice((-1, 1)) for name, span in ranges.items()}
        return damage, replace(lie, **drawn), camera

    return condition


def _damage(**ranges: tuple[float, float]) -> Condition:
    def condition(dice: np.random.Generator) -> Spoiled:
        damage, lie, camera = good(dice)
        drawn = {name: dice.uniform(*span) for name, span in ranges.items()}
        whole: dict[str, Any] = {
            name: round(value) if name in ("scratches", "stains") else value for name, value in drawn.items()
        }
        return replace(damage, **whole), lie, camera

    return condition


def _turned(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    return damage, replace(lie, turn_deg=lie.turn_deg + dice.uniform(-8, 8)), camera


def _cast(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    gains = (dice.uniform(0.6, 1.0), dice.uniform(0.8, 1.0), dice.uniform(0.6, 1.0))
    return damage, lie, replace(camera, cast=gains)


def _glare(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    at = (dice.uniform(0.2, 0.8), dice.uniform(0.2, 0.8))
    return damage, lie, replace(camera, glare=dice.uniform(0.3, 0.9), glare_at=at)


def _shutter(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    camera = replace(camera, motion_px=dice.uniform(1, 4))
    return damage, replace(lie, skew=dice.uniform(-0.04, 0.04)), camera


def _jpeg(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    return damage, lie, replace(camera, jpeg=int(dice.integers(35, 75)))


def _old(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    damage = replace(damage, worn=dice.uniform(0, 0.06), scratches=6, stains=3, yellow=dice.uniform(0, 0.15))
    return (
        damage,
        replace(lie, bend_mm=dice.uniform(-1.5, 1.5)),
        replace(camera, blur_px=dice.uniform(0.8, 1.5)),
    )


def _hasty(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = _turned(dice)
    camera = replace(
        camera,
        motion_px=dice.uniform(2, 6),
        noise=dice.uniform(3, 7),
        light=dice.uniform(0.4, 0.8),
        slope=dice.uniform(0, 0.25),
        slope_deg=dice.uniform(0, 360),
    )
    return replace(damage, scratches=4, worn=dice.uniform(0, 0.04)), lie, camera


def _sloped(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    return damage, lie, replace(camera, slope=dice.uniform(0.15, 0.4), slope_deg=dice.uniform(0, 360))


def _cut_off(dice: np.random.Generator) -> Spoiled:
    damage, lie, camera = good(dice)
    return damage, replace(lie, y_px=dice.choice((-1, 1)) * dice.uniform(85, 150)), camera


CONDITIONS: Mapping[str, Condition] = {
    GOOD: good,
    "turned": _turned,
    "tilted": _lie(tilt_deg=(3, 9), lean_deg=(3, 9)),
    "bent": _lie(bend_mm=(0.8, 2.5)),
    "partly out of view": _cut_off,
    "moving": _camera(motion_px=(2, 6)),
    "rolling shutter": _shutter,
    "out of focus": _camera(blur_px=(1.3, 2.4)),
    "noisy": _camera(noise=(6, 14)),
    "dark": _camera(light=(0.3, 0.55)),
    "too bright": _camera(light=(1.05, 1.3)),
    "uneven light": _sloped,
    "coloured light": _cast,
    "glare": _glare,
    "lens": _camera(barrel=(0.02, 0.06)),
    "compressed": _jpeg,
    "pale print": _damage(ink=(0.6, 0.8)),
    "worn": _damage(worn=(0.03, 0.12)),
    "scratched": _damage(scratches=(8, 25)),
    "dirty": _damage(stains=(3, 12), yellow=(0, 0.25)),
    "old": _old,
    "hasty": _hasty,
}


def picture(face: Picture, condition: Condition, dice: np.random.Generator) -> Picture:
    """One picture of a card in a condition."""
    damage, lie, camera = condition(dice)
    return seen([(damaged(face, damage, dice), lie)], camera, dice)


def one_pass(face: Picture, dice: np.random.Generator, pictures: int = 3) -> list[Picture]:
    """What a deck is learnt from: so many pictures of one card that passes once, slowly, in good light."""
    damage, lie, camera = good(dice)
    card = damaged(face, damage, dice)
    turned = replace(lie, turn_deg=90 + dice.uniform(-3, 3), tilt_deg=0.0)
    ways = np.linspace(-45, 45, pictures)
    return [seen([(card, replace(turned, y_px=float(y)))], replace(camera, light=0.85), dice) for y in ways]
