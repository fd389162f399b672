"""Recorder, seats and board write their log as the daemon of a table does: by the same key."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.settings.writing import toml_text
from tests.harness.broker import free_port
from tests.harness.process import PROGRAM, Program


def settings_of(program: str, folder: Path) -> Mapping[str, object]:
    """Each finds nobody: no broker, no database."""
    nobody = free_port()
    if program == "record":
        return {
            "sites": ["north"],
            "broker": {"port": nobody},
            "database": {"url": f"postgresql://nobody@127.0.0.1:{nobody}/none"},
        }
    if program == "board":
        return {"mqtt": {"port": nobody}, "board": {"port": free_port()}}
    (folder / "operator.token").write_text("token-of-the-operator\n")
    return {
        "broker": {"port": nobody},
        "database": {"url": f"sqlite:///{folder / 'books.db'}"},
        "http": {"port": free_port(), "operator_token_file": "operator.token"},
        "tables": [{"site": "north", "id": "7"}],
    }


@pytest.mark.parametrize("program", ["record", "board", "wagering"])
@pytest.mark.parametrize("form", ["json", "text"])
def test_lines_are_as_the_settings_say(tmp_path: Path, program: str, form: str) -> None:
    file = tmp_path / "settings.toml"
    file.write_text(toml_text({**settings_of(program, tmp_path), "observe": {"log": form}}))
    with Program([PROGRAM, program, "--config", file], tmp_path / "program.log") as running:
        running.until(lambda: running.log.endswith("\n"), "it says that nobody is there")
        line = running.log.splitlines()[0]
    if form == "text":
        assert re.match(r"\S+Z (INFO|WARNING) (?!controller)", line)
        return
    told = json.loads(line)
    assert set(told) == {"at", "level", "logger", "message"}
    assert "127.0.0.1" in told["message"]
