"""Simulated tables, the same in every run, and the simulation itself; ``make simulate`` plays new ones."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from controller.vocabulary.configuration import CoreConfiguration
from tests.simulation import history
from tests.simulation.course import Message
from tests.simulation.drawing import ELSEWHERE, GAMES, ROOMS, draw_configuration, keys
from tests.simulation.history import live, plan_of, smallest
from tests.simulation.oracles import Oracle
from tests.simulation.run import Progress, play
from tests.simulation.violation import Violation
from tests.simulation.world import World

HISTORIES = range(120)
"""Twenty seconds of one core. Fixed in number and place, by no clock and no digest of the program: what is
played before a landing is what CI plays, so that a red build tells of the change and not of chance. New seeds
are for ``make simulate``.
"""


def test_the_first_histories_break_no_rule() -> None:
    seen = play(HISTORIES)
    assert seen.rounds > 10 * len(HISTORIES)
    repeat = [f"{kind}: make simulate SEED={seed}" for kind, (seed, _) in seen.first.items()]
    assert not repeat, "; ".join(repeat)


@pytest.mark.parametrize("game", GAMES)
def test_a_history_is_the_same_from_the_same_seed(game: str) -> None:
    once, again = (live(plan_of(7, game)) for _ in range(2))
    assert once.plan == again.plan
    assert once.desk.record == again.desk.record  # type: ignore[attr-defined]


def test_every_key_of_the_configuration_is_drawn() -> None:
    dice = random.Random(1)
    drawn = [draw_configuration(dice) for _ in range(400)]
    met = {f"{room}.{key}" for one in drawn for room, values in one.values.items() for key in values}
    assert set(keys()) - met == set()
    assert {*ROOMS, *ELSEWHERE} == {*CoreConfiguration.__struct_fields__}
    assert not {*ROOMS} & {*ELSEWHERE}
    assert {one.house is None for one in drawn} == {one.marked for one in drawn} == {True, False}
    for name in ("beam", "second", "shuffler", "usb"):
        assert {getattr(one, name) for one in drawn} == {True, False}


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    progress = Progress(start=5, seen=play(range(5, 7)))
    progress.write(tmp_path / "core.json")
    assert Progress.read(tmp_path / "core.json") == progress


class Blind(Oracle):
    """Finds fault with every void."""

    def message(self, world: World, message: Message) -> None:
        if message.name == "round.void":
            raise Violation("a void", str(message.data["round"]))


def test_a_failure_is_made_small_and_told_as_a_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "oracles", lambda: [Blind()])
    failing = next(plan for seed in range(100) if live(plan := plan_of(seed, "2-card-action")).broken)
    plan, text = smallest(failing, "a void")
    assert len(plan.faults) <= 2
    assert plan.rounds <= 2
    assert "== a void" in text
    assert "round.void" in text.splitlines()[-1]
