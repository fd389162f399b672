"""Every command that a document shows is typed, page by page, in a world of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.test_pages import DOCUMENTS, HOUSE, blocks, named
from tests.docs.world import World, machine, write_files

LANGUAGES = {"sh", "bash", "console", "toml", "json", "text", "python", "diff", "mermaid", "sql"}
TESTED_ELSEWHERE = {
    "docs/how-to/check-an-export.md": "tests/cli/test_export.py",
    "docs/how-to/add-a-device.md": "tests/docs/test_add_a_device.py",
    "docs/how-to/add-a-game.md": "tests/games/test_fifth_game.py",
    "docs/how-to/record-a-floor.md": "tests/recorder/test_views.py",
}

TYPED_ELSEWHERE = {
    "docs/how-to/a-floor-in-one-hour.md": "tests/recorder/test_floor_page.py",
    "docs/how-to/an-auditor-in-one-hour.md": "tests/docs/test_auditor_page.py",
    "docs/how-to/try-a-consumer.md": "tests/examples/test_bench.py",
}
"""Their terminals go on beside each other, or what they answer is compared, too."""


def typed(language: str, text: str) -> str:
    """What is typed of a block: all of ``sh``, the lines behind a prompt of ``console``."""
    if language == "sh":
        return text
    lines: list[str] = []
    for line in text.splitlines():
        if line.startswith(("$ ", "# ")):
            lines.append(line[2:])
        elif lines and "\n".join(lines).count('"') % 2:
            lines.append(line)
    return "\n".join(lines)


def shell(path: Path) -> list[str]:
    return [typed(language, text) for language, text in blocks(path) if language in ("sh", "console")]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One machine for all pages; each finds its files as after an installation."""
    with machine(tmp_path_factory.mktemp("machine")) as made:
        yield made


PAGES = [path for path in DOCUMENTS if shell(path) and named(path) not in TYPED_ELSEWHERE]


@pytest.mark.parametrize("path", PAGES, ids=named)
def test_every_command_of_a_page_works(path: Path, here: World) -> None:
    write_files(here)
    for text in shell(path):
        done = here.type(text)
        assert done.returncode == 0, f"{named(path)}:\n{text}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_a_block_says_what_it_is_and_commands_are_marked_as_such(path: Path) -> None:
    for language, text in blocks(path):
        assert language in LANGUAGES, text
        if language == "text" and named(path) != "docs/reference/commands.md":
            assert not re.match(r"(\$ |sudo |dealer-table )", text), text
        if language in ("python", "diff", "bash", "sql"):
            assert named(path) in TESTED_ELSEWHERE
            assert (HOUSE / TESTED_ELSEWHERE[named(path)]).exists()


def test_a_command_that_does_not_work_is_noticed(here: World) -> None:
    write_files(here)
    assert here.type("dealer-table show /var/lib/dealer-table/7.db 20:15:07").stdout.count("20:15:07")
    assert here.type("dealer-table show /var/lib/dealer-table/7.db 20:15:08").returncode
    assert here.type("dealer-table check-config /etc/dealer-table/8.toml").returncode == 2
    assert here.type("dealer-table run --config /etc/dealer-table/8.toml").returncode == 2
    assert here.type("dealer-table tpo").returncode == 2
