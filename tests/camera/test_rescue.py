"""The rescue: it reads what is degraded, says nothing where nothing is clear, and never another text."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from drivers.camera.decode import rescue
from drivers.camera.fit import fit
from drivers.camera.rendering import Optics, Picture, Pose, card, picture, scratched
from drivers.camera.straighten import find, profile

TEXT = "C1-7H-000123K"
DEGRADED: dict[str, tuple[Pose, Optics, int]] = {
    "clean": (Pose(), Optics(), 0),
    "blurred": (Pose(), Optics(blur_px=2.6), 0),
    "noisy": (Pose(), Optics(noise=60), 0),
    "turned": (Pose(turn_deg=35), Optics(), 0),
    "on its head": (Pose(turn_deg=183), Optics(), 0),
    "upright": (Pose(turn_deg=88), Optics(width_px=480, height_px=640), 0),
    "tilted": (Pose(tilt_deg=38), Optics(), 0),
    "leaning": (Pose(lean_deg=-35, turn_deg=10), Optics(), 0),
    "pale": (Pose(), Optics(contrast=0.1, noise=8), 0),
    "moved along": (Pose(), Optics(motion_px=6, motion_deg=5), 0),
    "moved across": (Pose(), Optics(motion_px=15, motion_deg=90), 0),
    "scratched": (Pose(), Optics(), 12),
    "all together": (Pose(turn_deg=-20, tilt_deg=20), Optics(blur_px=1.6, noise=15, contrast=0.4), 3),
}


def seen(text: str, pose: Pose, optics: Optics, scratches: int, seed: int) -> Picture:
    dice = np.random.default_rng(seed)
    return picture([(scratched(card(text), scratches, dice), pose)], optics, dice)


@pytest.mark.parametrize("name", DEGRADED)
def test_degraded_marks_are_read(name: str) -> None:
    found = [rescue(seen(TEXT, *DEGRADED[name], seed)) for seed in range(4)]
    texts = [mark.text for marks in found for mark in marks]
    assert texts == [TEXT] * len(texts)
    assert len(texts) >= 3


@pytest.mark.parametrize("text", ["8S", "1010", "A", "~~~", "52-C8-117-TH-00423-Q9"])
def test_short_and_long_texts(text: str) -> None:
    module_px = 2 if len(text) > 15 else 3
    flat = card(text, module_px=module_px)
    (mark,) = rescue(picture([(flat, Pose(turn_deg=20))], Optics(blur_px=1.2), np.random.default_rng(1)))
    assert (mark.text, mark.rescued) == (text, True)


def test_where_the_mark_is() -> None:
    flat = card(TEXT)
    (mark,) = rescue(picture([(flat, Pose(30, -60, 15))], Optics(), np.random.default_rng(1)))
    assert abs(mark.x_px - 350) < 40
    assert abs(mark.y_px - 180) < 40


def within(*furthest: float) -> list[st.SearchStrategy[float]]:
    return [st.floats(-most, most) for most in furthest]


@settings(max_examples=60)
@given(
    st.from_regex(r"C[1-8]-[A2-9TJQK][SHDC]-[0-9]{6}[0-9A-Z*]", fullmatch=True),
    st.builds(Pose, *within(40, 60, 60, 50, 50), st.booleans()),
    st.builds(
        Optics,
        st.floats(0.3, 4.0),
        st.floats(0, 15),
        st.floats(0, 180),
        st.floats(0.03, 1.0),
        st.floats(0, 80),
    ),
    st.integers(0, 60),
    st.integers(0, 1000),
)
def test_whatever_happens_to_a_mark_it_is_that_mark_or_none(
    text: str, pose: Pose, optics: Optics, scratches: int, seed: int
) -> None:
    assert {mark.text for mark in rescue(seen(text, pose, optics, scratches, seed))} <= {text}


def stripes(dice: np.random.Generator) -> Picture:
    """Bars of random widths that are no mark."""
    row = np.repeat(dice.choice([30, 220], 200), dice.integers(2, 9, 200))[:640].astype(np.uint8)
    return np.tile(np.resize(row, 640), (480, 1))


@pytest.mark.parametrize("seed", range(40))
def test_stripes_noise_and_prints_are_no_marks(seed: int) -> None:
    dice = np.random.default_rng(seed)
    assert rescue(stripes(dice)) == []
    assert rescue(dice.integers(0, 256, (480, 640)).astype(np.uint8)) == []
    assert rescue(picture([(card(""), Pose(turn_deg=seed))], Optics(), dice)) == []
    assert rescue(picture([(card("C1-7H-000123K", "qr", 5), Pose(turn_deg=seed))], Optics(), dice)) == []


@settings(max_examples=150)
@given(
    arrays.arrays(
        np.uint8,
        st.tuples(st.integers(1, 90), st.integers(1, 200)),
        elements=st.sampled_from([0, 1, 128, 255]),
    )
)
def test_any_picture_raises_nothing(grey: Picture) -> None:
    rescue(grey)
    for place in find(grey):
        profile(grey, place)


@settings(max_examples=150)
@given(arrays.arrays(np.float32, st.integers(80, 400), elements=st.sampled_from([0, 10, 128, 255])))
def test_any_profile_raises_nothing(darkness: np.ndarray) -> None:
    found = fit(darkness)
    assert found is None or len(found.values) >= 3
