"""``make bench`` joins its parts: every mark in one table and one file, a part that fails is named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.__main__ import main, parts
from tests.bench.timing import Grown, Mark, write_json
from tests.harness.patience import PATIENCE_S

_PART = """
import sys
from tests.bench.test_joined import one_mark
one_mark(sys.argv[2], {ratio})
"""


def one_mark(file: str, ratio: float) -> None:
    """What a part writes."""
    mark = Mark("speed", "2 ms", "peer 9 ms", ratio, 3, True)
    write_json(Path(file), [mark], [Grown("growth", ("decks", "us"), [("1", "2.5")])])


def part(ratio: float) -> list[str]:
    return [sys.executable, "-c", _PART.format(ratio=ratio)]


@pytest.mark.parametrize(("ratio", "status", "word"), [(4.5, 0, "yes"), (2.5, 1, "NO")])
def test_marks_are_shown_and_written_and_a_missed_one_is_the_status(
    ratio: float, status: int, word: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "build" / "bench.json"
    assert main({"one": part(4.5), "two": part(ratio)}, ["--json", str(file)]) == status
    shown = capsys.readouterr().out
    assert shown.splitlines()[3].split() == [
        *("two", "speed", "2", "ms", "peer", "9", "ms", f"{ratio:.2f}", ">=", "3", word)
    ]
    assert "growth" in shown
    written = json.loads(file.read_text())
    assert [mark["ratio"] for one in written["parts"].values() for mark in one["marks"]] == [4.5, ratio]
    assert written["machine"]["processors"] >= 1


def test_a_part_that_cannot_be_run_is_named_and_the_others_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = [sys.executable, "-c", "raise SystemExit('no such peer here')"]
    file = tmp_path / "bench.json"
    assert main({"one": broken, "two": part(4.5)}, ["--json", str(file)]) == 2
    shown = capsys.readouterr().out
    assert "one could not be run: no such peer here" in shown
    assert "two" in shown
    assert json.loads(file.read_text())["failed"] == {"one": "no such peer here"}


def test_only_the_parts_that_are_asked_for_run(tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    assert main({"one": part(1), "two": part(4.5)}, ["two", "--json", str(file)]) == 0
    with pytest.raises(SystemExit):
        main({"one": part(1)}, ["three", "--json", str(file)])


def test_every_part_can_be_asked_for_its_marks() -> None:
    commands = parts()
    assert {"odds", "camera", "daemon", "board"} <= set(commands)
    for command in commands.values():
        help_ = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=PATIENCE_S)
        assert "--json FILE" in help_.stdout, command
