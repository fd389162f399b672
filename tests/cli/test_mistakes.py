"""Every command and every kind of mistake: what is answered stands in a file that people read."""

from __future__ import annotations

import re

from controller.cli.commands import COMMANDS
from tests.cli.mistakes import TOLD, played

PYTHON = re.compile(
    r"Traceback|\b(None|True|False)\b|(?<![\w/])b'|<class|\bobject at 0x|\bErrno\b|\w+\(\w+="
    r"|`(str|int|bool|object|array)`"
)
"""How a program holds its values; nobody at a table speaks so."""


def test_every_mistake_is_answered_as_it_was_read() -> None:
    text = TOLD.read_text()
    assert played(text) + "\n" == text


def test_no_answer_shows_python() -> None:
    assert [
        line for line in TOLD.read_text().splitlines() if not line.startswith("$") and PYTHON.search(line)
    ] == []


def test_every_command_has_its_mistakes() -> None:
    tried = set(re.findall(r"^\$ dealer-table ([\w-]+)", TOLD.read_text(), re.MULTILINE))
    assert {command.name for command in COMMANDS} <= tried
