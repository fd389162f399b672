"""The count of misreads (`make misreads`): what counts, that it goes on where it was, and its bound."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from controller.settings.loader import load_configuration
from drivers.camera.measured import WITH_CHECK_DIGIT, WITHOUT_CHECK_DIGIT, Misreads, upper_bound
from tests.bench import misreads
from tests.bench.corpus import code
from tests.settings.files import changed

CODE, OTHER_WITH_CHECK = (code(np.random.default_rng(seed)) for seed in (1, 2))
OTHER = OTHER_WITH_CHECK[:-1] + ("1" if OTHER_WITH_CHECK[-1] == "0" else "0")


@pytest.mark.parametrize(
    ("texts", "counted"),
    [
        ([CODE], {"right": 1}),
        ([], {"unread": 1}),
        ([""], {"unread": 1}),
        ([OTHER], {"wrong": 1}),
        ([CODE, OTHER], {"right": 1, "wrong": 1}),
        ([OTHER_WITH_CHECK], {"wrong": 1, "accepted": 1}),
    ],
)
def test_what_counts(texts: list[str], counted: dict[str, int]) -> None:
    assert misreads.judged(CODE, texts) == counted


def test_a_run_goes_on_where_it_was_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(misreads, "CHUNK", 3)
    file = tmp_path / "build" / "chunks.jsonl"
    first = misreads.go_on(file, 3, 2, 1, math.inf)
    assert (first["pictures"], first["without pictures"]) == (3, 2)
    with file.open("a") as lines:
        lines.write('{"seed": 1, "counts": {"pict')
    assert misreads.kept(file) == first, "a line that was cut off is none"
    file.write_text(file.read_text().splitlines()[0] + "\n")
    second = misreads.go_on(file, 6, 0, 1, math.inf)
    assert (second["pictures"], len(file.read_text().splitlines())) == (6, 2)
    assert misreads.go_on(file, 6, 0, 1, math.inf) == second, "there is nothing left to do"
    assert misreads.go_on(file, 9, 0, 1, -math.inf) == second, "and nothing is begun when the time is over"


@pytest.mark.parametrize(("events", "trials"), [(0, 1), (0, 100), (1, 100), (5, 50), (3, 4)])
def test_the_bound_is_where_so_few_events_are_left_with_one_chance_in_twenty(
    events: int, trials: int
) -> None:
    p = upper_bound(events, trials)
    at_most = sum(math.comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(events + 1))
    assert at_most == pytest.approx(0.05)


def test_the_bound_of_nothing_in_300_000_is_one_in_a_hundred_thousand() -> None:
    assert upper_bound(0, 300_000) == pytest.approx(9.99e-6, rel=1e-3)
    assert upper_bound(7, 7) == 1
    assert str(Misreads(300_000, 0)) == "0 of 300,000 (95 %: below 1.0e-05)"


def test_a_camera_without_a_check_digit_is_warned_of_with_the_measured_rate(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(changed(devices={"shoe": {"driver": "camera", "source": "/dev/video0", "rescue": True}}))
    warned = {problem.key: problem.message for problem in load_configuration(path).warnings}
    assert str(WITHOUT_CHECK_DIGIT) in warned["cards.map"]
    assert "stays off" in warned["devices.shoe.rescue"]
    assert WITHOUT_CHECK_DIGIT.pictures >= 1000
    assert WITH_CHECK_DIGIT.taken == 0
