"""What a cut shows is counted, whatever shows it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.journal.reader import SqliteReader
from tests.machine import cuts
from tests.machine.aims import aim
from tests.machine.kernel import Kernel
from tests.machine.qemu import MachineFailed


def read(journal: Path) -> None:
    SqliteReader.open(journal)


def missed(journal: Path) -> None:
    raise AssertionError(journal)


def hung(journal: Path) -> None:
    raise MachineFailed(journal)


@pytest.mark.parametrize("look", [read, missed, hung])
def test_a_journal_that_cannot_be_read_is_a_finding_as_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, look: Any
) -> None:
    monkeypatch.setattr(cuts, "BUILD", tmp_path)
    monkeypatch.setattr(cuts, "one_table", lambda *_: look(tmp_path / "7.db"))
    kernel = Kernel("", tmp_path, tmp_path, tmp_path)
    assert cuts.cut_again(kernel, tmp_path, "ext4", 10, float("inf")) == 1
    kept = json.loads((tmp_path / "cuts-ext4.json").read_text())
    assert (kept["wrong"], kept["cuts"]) == (1, 0)


def test_an_aimed_cut_comes_after_its_sign() -> None:
    looks = iter((4, 4, 4, 5, 6))
    aim(lambda: next(looks), Random(1))
    assert list(looks) == [6]
