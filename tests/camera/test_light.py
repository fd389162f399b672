"""The light before a camera, as ``doctor`` judges it: ground and paper, glare, flicker, the exposure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from controller.shell.wiring.probe import judge_camera
from drivers.camera.brightness import light_of
from drivers.camera.light import judged
from drivers.camera.plain.drawing import face_of
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.scene import Camera, Lie, seen
from drivers.camera.plain.simulator import SMALL
from drivers.camera.sight import Sight
from drivers.camera.sources import grey
from drivers.camera.tally import CameraState
from drivers.camera.view import View
from drivers.camera.wire import Light, Mark

DARK, GLARES, GROUND = "too dark: more light", "glares: less light", "a darker ground"
FLICKERS, RUNS, NO_CARD = "the light flickers", "changes its exposure by itself", "no card in view"


def before(camera: Camera = SMALL, card: bool = True) -> Picture:
    cards = [(face_of("8S"), Lie(turn_deg=92.0))] if card else []
    return grey(seen(cards, camera, np.random.default_rng(3)))


def row(*cameras: Camera, card: bool = True) -> list[Light]:
    return [light_of(before(camera, card)) for camera in cameras]


@pytest.mark.parametrize(
    ("lights", "held", "wanted"),
    [
        (row(SMALL), True, []),
        (row(SMALL), None, []),
        (row(SMALL), False, [RUNS]),
        (row(replace(SMALL, light=0.3)), True, [DARK]),
        (row(replace(SMALL, light=1.4)), True, [GLARES]),
        (row(replace(SMALL, ground=190)), True, [GROUND]),
        (row(*[replace(SMALL, light=0.8), replace(SMALL, light=0.7)] * 6), True, [FLICKERS]),
        (row(*[replace(SMALL, light=0.8), replace(SMALL, light=0.79)] * 6), True, []),
        (row(replace(SMALL, light=0.8), replace(SMALL, light=0.7)), True, []),
    ],
    ids=[
        "good",
        "good, and the camera does not say",
        "exposure runs",
        "dark",
        "glare",
        "bright ground",
        "flicker",
        "no flicker",
        "too few pictures to say",
    ],
)
def test_what_is_to_be_mended_is_said(lights: Sequence[Light], held: bool | None, wanted: list[str]) -> None:
    words, found = judged(lights, held)
    assert words.startswith("ground ")
    assert len(found) == len(wanted), found
    assert all(part in said for part, said in zip(wanted, found, strict=True)), found


def test_an_empty_view_asks_for_a_card() -> None:
    words, found = judged(row(SMALL, card=False), True)
    assert NO_CARD in words
    assert all(DARK in said for said in found)
    assert NO_CARD not in judged(row(SMALL), True)[0]


def test_the_doctor_says_it() -> None:
    state = CameraState("/dev/video0", connected=True, frames_per_s=30.0, asked_frames_per_s=30)
    good = structs.replace(state, lights=tuple(row(SMALL)), exposure_held=True)
    assert judge_camera("shoe", good).grade == "ok"
    bad = judge_camera("shoe", structs.replace(good, exposure_held=False))
    assert (bad.grade, RUNS in bad.mend) == ("warning", True)


class Unread:
    """A reader that reads nothing."""

    def read(self, picture: Picture, present: bool = True) -> tuple[Mark, ...]:
        return ()


def test_the_light_is_measured_as_long_as_doctor_looks_and_then_once_a_second() -> None:
    now_ns = iter(range(0, 60_000_000_000, 50_000_000))
    sight = Sight(Unread(), View(10, 1.0, 3.0), lambda: next(now_ns))
    shown = before(SMALL)
    lights = [sight.of("", shown)[0].light is not None for _ in range(100)]
    assert lights[:51] == [True] * 51
    assert [place for place, light in enumerate(lights[51:]) if light] == [9, 19, 29, 39]
