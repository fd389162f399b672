"""The light before a camera: what is good, and what to mend. Pure; what a picture shows is measured where it
is taken (`drivers.camera.brightness`).
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from drivers.camera.wire import Light

DIM = 120
"""Grey level: paper that is as dark is noise."""
PAPER_ABOVE = 40
"""Grey levels by which paper is brighter than its ground; less, and no paper is in view."""
_DARK_GROUND = 0.6
"""Of the paper's brightness: a ground above it makes outlines uncertain."""
_GLARE = 0.01
"""Share of the paper that may be as bright as a camera can tell."""
_FLICKER, _PICTURES = 0.02, 10
"""Deviation of the brightness from picture to picture, as a share of it; of so many pictures at least."""


def in_words(light: Light) -> str:
    """What a picture shows of it."""
    return f"ground {light.ground}, bright {light.paper} of 255"


def to_mend(light: Light) -> list[str]:
    """What to do about the light of one picture."""
    if light.paper < DIM and light.brightest < DIM:
        return ["too dark: more light or exposure"]
    found = []
    if light.glare > _GLARE:
        found.append(f"{light.glare:.0%} glares: less light or exposure, or a lamp from the side")
    paper = light.paper - light.ground >= PAPER_ABOVE
    if paper and light.ground > _DARK_GROUND * light.paper:
        found.append("the ground is too bright beside the paper: a darker ground, or no light on it")
    return found


def judged(lights: Sequence[Light], exposure_held: bool | None) -> tuple[str, list[str]]:
    """What some pictures in a row show, in words, and what to mend. `exposure_held`: whether the camera keeps
    its exposure; None where it does not say.
    """
    if not lights:
        return "", []
    newest = lights[-1]
    seen, found = in_words(newest), to_mend(newest)
    if newest.paper - newest.ground < PAPER_ABOVE:
        seen += " (no card in view: lay one there to have its light judged)"
    means = [light.mean for light in lights]
    share = statistics.pstdev(means) / max(statistics.fmean(means), 1.0)
    if len(lights) >= _PICTURES and share > _FLICKER:
        found.append(
            f"the light flickers by {share:.0%} from picture to picture: lamps without a ripple, or an "
            "exposure of 10 ms (8.3 ms at 60 Hz) or a multiple"
        )
    if exposure_held is False:
        found.append(
            "the camera changes its exposure by itself: hold it (v4l2-ctl -c auto_exposure=1, or exposure_us)"
        )
    return seen, found
