"""The table of the documents on depleted shoes is what its command prints."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.measure import depleted

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "live-odds.md"


def test_the_table_of_the_page_is_what_its_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["depleted"])
    depleted.main()
    assert capsys.readouterr().out in PAGE.read_text()
