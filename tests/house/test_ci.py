"""What strangers' changes go through is what ours go through."""

from __future__ import annotations

import re
from pathlib import Path

from tests.conftest import LONGEST

HOUSE = Path(__file__).resolve().parents[2]
WORKFLOW = (HOUSE / ".github" / "workflows" / "test.yml").read_text()


def checks_of_make() -> list[str]:
    """The commands of ``make lint``, which ``make check`` and ``make test`` begin with."""
    rule = (HOUSE / "Makefile").read_text().split("\nlint:", 1)[1].split("\n\n", 1)[0]
    return [line.removeprefix("\t$(BIN)/") for line in rule.splitlines()[1:]]


def test_a_commit_is_checked_as_make_lint_does() -> None:
    hooks = re.findall(r"entry: \.venv/bin/([^,]+),", (HOUSE / ".pre-commit-config.yaml").read_text())
    assert [one for one in checks_of_make() if one not in hooks] == []


def test_the_workflow_runs_make_test_on_both_pythons_and_builds_both_packages() -> None:
    assert '{debian: bookworm, python: "3.11"}' in WORKFLOW
    assert '{debian: trixie, python: "3.13"}' in WORKFLOW
    assert "run: make test\n" in WORKFLOW
    assert "arch: [amd64, arm64]" in WORKFLOW
    assert "run: make deb" in WORKFLOW
    assert "debian: [bookworm, trixie]" in WORKFLOW


def test_the_tests_that_begin_first_and_the_rooms_of_the_core_are_there() -> None:
    core = (HOUSE / "Makefile").read_text().split("\nCORE := ", 1)[1].split("\n", 1)[0].split()
    named = [*(f"{name}.py" for name in LONGEST), *core]
    assert [name for name in named if not (HOUSE / "tests" / name).exists()] == []
