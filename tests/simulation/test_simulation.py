"""The simulation itself: a few histories of every game, and that every key of the configuration is drawn."""

from __future__ import annotations

import random

import pytest

from tests.simulation.drawing import GAMES, draw_configuration, keys
from tests.simulation.faults import FAULTS
from tests.simulation.plan import draw_plan


@pytest.mark.parametrize("game", GAMES)
def test_a_plan_is_the_same_from_the_same_seed(game: str) -> None:
    assert draw_plan(7, tuple(FAULTS), game=game) == draw_plan(7, tuple(FAULTS), game=game)


def test_every_key_of_the_configuration_is_drawn() -> None:
    dice = random.Random(1)
    drawn = [draw_configuration(dice) for _ in range(400)]
    met = {f"{room}.{key}" for one in drawn for room, values in one.values.items() for key in values}
    assert set(keys()) - met == set()
