"""What is in view: empty, something, moving, black, frozen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from drivers.camera.rendering import Optics, Picture, Pose, card, picture
from drivers.camera.view import View

SMALL = Optics(width_px=320, height_px=160)
CARD = card("", module_px=2)


class Watcher:
    """Shows pictures to a view and keeps what it said."""

    def __init__(self, views: tuple[bytes, ...] = (), frozen_after_s: float = 1.0) -> None:
        self.view = View(frames_per_s=10, black_after_s=1.0, frozen_after_s=frozen_after_s, views=views)
        self.dice = np.random.default_rng(1)
        self.learnt = 0

    def show(
        self, *cards: tuple[Picture, Pose], marks: bool = False, light: int = 60, times: int = 1
    ) -> None:
        for _ in range(times):
            self.see(picture(cards, SMALL, self.dice, ground=light), marks)

    def see(self, seen: Picture, marks: bool = False) -> None:
        self.view.look(seen)
        self.learnt += self.view.learn(marks)


@pytest.fixture
def watcher() -> Watcher:
    watcher = Watcher()
    watcher.show(times=4)
    return watcher


def test_the_first_calm_pictures_are_the_empty_view(watcher: Watcher) -> None:
    assert not Watcher().view.knows_empty
    assert (watcher.view.knows_empty, watcher.view.present) == (True, False)


def test_a_card_without_a_mark_is_something_and_moves(watcher: Watcher) -> None:
    watcher.show((CARD, Pose(y_px=-90)))
    assert (watcher.view.present, watcher.view.moved) == (True, True)
    watcher.show((CARD, Pose()), times=2)
    assert (watcher.view.present, watcher.view.moved) == (True, False)
    watcher.show(times=2)
    assert not watcher.view.present


@pytest.mark.parametrize(
    ("cards", "light"),
    [([Pose(x_px=200, y_px=-75)], 60), ([Pose(x_px=200, y_px=75)], 60), ([], 235)],
    ids=["upper corner", "lower corner", "it fills the view"],
)
def test_any_part_of_a_card_is_something(watcher: Watcher, cards: list[Pose], light: int) -> None:
    watcher.show(*((CARD, pose) for pose in cards), light=light)
    assert watcher.view.present


@pytest.mark.parametrize("noise", [0.0, 10.0, 25.0, 60.0])
def test_noise_is_neither_motion_nor_something(noise: float) -> None:
    watcher, optics = Watcher(frozen_after_s=0), replace(SMALL, noise=noise)
    for number in range(20):
        watcher.see(picture([], optics, watcher.dice))
        assert number == 0 or not watcher.view.moved
        assert not watcher.view.present
    assert watcher.view.knows_empty
    watcher.see(picture([(CARD, Pose())], optics, watcher.dice))
    assert (watcher.view.present, watcher.view.moved) == (True, True)


def test_light_that_changes_slowly_is_followed(watcher: Watcher) -> None:
    for light in range(60, 140):
        watcher.show(light=light, times=4)
        assert not watcher.view.present


def test_what_is_put_there_becomes_the_empty_view_and_the_old_one_stays_one(watcher: Watcher) -> None:
    watcher.show((CARD, Pose()), times=40)
    assert watcher.view.present
    watcher.show((CARD, Pose()), times=30)
    assert not watcher.view.present
    watcher.show(times=2)
    assert not watcher.view.present


def test_a_card_with_a_mark_never_becomes_the_empty_view(watcher: Watcher) -> None:
    watcher.show((CARD, Pose()), times=100, marks=True)
    assert watcher.view.present


def test_an_empty_view_can_be_handed_on(watcher: Watcher) -> None:
    assert watcher.learnt == 1
    later = Watcher(watcher.view.views)
    later.show((CARD, Pose()))
    assert later.view.present
    later.show()
    assert not later.view.present


def test_views_of_another_size_are_not_taken_up() -> None:
    assert not Watcher((b"\x00" * 5,)).view.knows_empty


def test_black_pictures_are_blind_at_once_and_lost_after_a_while(watcher: Watcher) -> None:
    for number in range(1, 13):
        watcher.see(picture([], SMALL, watcher.dice, ground=3))
        blind = ("black", number >= 10, False)
        assert (watcher.view.blind, watcher.view.blind_long, watcher.view.present) == blind
    watcher.show()
    assert watcher.view.blind is None


def test_a_picture_that_does_not_change_by_a_bit_is_frozen(watcher: Watcher) -> None:
    same = picture([(CARD, Pose())], SMALL, watcher.dice)
    watcher.see(same)
    for number in range(1, 13):
        watcher.see(same)
        blind = ("frozen", True) if number >= 10 else (None, False)
        assert (watcher.view.blind, watcher.view.blind_long) == blind
    watcher.show((CARD, Pose()))
    assert watcher.view.blind is None


def test_frozen_pictures_may_be_allowed() -> None:
    watcher = Watcher(frozen_after_s=0)
    same = picture([], SMALL, watcher.dice)
    for _ in range(100):
        watcher.see(same)
    assert watcher.view.blind is None


@pytest.mark.parametrize("shape", [(480, 640), (61, 64), (24, 32), (7, 5), (1, 1)])
def test_pictures_of_any_size(shape: tuple[int, int]) -> None:
    view = View(30, 1.0, 1.0)
    for level in (0, 100, 255):
        view.look(np.full(shape, level, np.uint8))
        view.learn(False)
