"""A run of the machine goes on where the last one stopped, and forgets nothing that went wrong."""

from __future__ import annotations

from pathlib import Path

from tests.machine.__main__ import to_do
from tests.machine.progress import Progress
from tests.machine.steps import FIRST, SLICE, STEPS


def test_a_run_goes_on_with_what_was_not_done(tmp_path: Path) -> None:
    kept = tmp_path / "steps.json"
    first = Progress.kept(kept, "package 1")
    first.note("setup", "two devices", 3.5)
    first.keep(kept)
    second = Progress.kept(kept, "package 1")
    assert (second.is_due("setup"), second.is_due("play")) == (False, True)
    assert second == first


def test_what_went_wrong_is_tried_again_and_stays_wrong(tmp_path: Path) -> None:
    kept = tmp_path / "steps.json"
    first = Progress.kept(kept, "package 1")
    first.note("play", "no result", 60.0, lost=1, wrong=True)
    assert first.is_due("play")
    first.note("play", "3 rounds", 20.0)
    first.keep(kept)
    again = Progress.kept(kept, "package 1")
    assert not again.is_due("play")
    assert not again.clean
    assert (again.steps["play"].times, again.steps["play"].lost, again.steps["play"].wrong) == (2, 1, 1)
    assert "3 rounds" in again.table()


def test_another_package_begins_anew(tmp_path: Path) -> None:
    kept = tmp_path / "steps.json"
    first = Progress.kept(kept, "package 1")
    first.note("play", "no result", 60.0, wrong=True)
    first.keep(kept)
    assert Progress.kept(kept, "package 2") == Progress("package 2")


def test_what_is_due_comes_after_the_first_steps_and_nothing_does_alone() -> None:
    done = Progress("package 1")
    for step in STEPS:
        done.note(step, "went well", 1.0)
    assert to_do(STEPS, None, done) == {}
    done.note("play", "no result", 1.0, wrong=True)
    done.steps["lights"].wrong = 1
    assert list(to_do(STEPS, None, done)) == [*FIRST, "lights"]
    assert list(to_do(STEPS, ["certify"], done)) == [*FIRST, "certify"]
    assert set(SLICE) <= set(STEPS)
