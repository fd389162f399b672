"""``make soak`` at a smaller bound: half an hour at a table, with every mishap once before the first look."""

from __future__ import annotations

from pathlib import Path

from tests.soak.__main__ import grown, run
from tests.soak.day import Hour


def test_nothing_grows_in_half_an_hour(tmp_path: Path) -> None:
    seen = run(tmp_path, 0.5, print, look_every_h=0.25)
    assert grown(seen) == []
    assert seen[-1].rounds > seen[0].rounds > 19


def test_what_grows_is_noticed() -> None:
    first = Hour(1, 60, 30.0, 20, 6, 2.0, 1.0)
    assert grown([first, first]) == []
    worse = Hour(24, 1500, 34.0, 21, 7, 2.0, 4.0)
    assert [words.split(":")[0] for words in grown([first, worse])] == [
        "memory", "descriptors", "threads", "work for a card",
    ]  # fmt: skip
