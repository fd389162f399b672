"""The numbered pictures of the page about the board: each number stands at something and is explained."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.board.scenes import laid
from tests.board.screenshots import PARTS, PICTURES

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "result-board.md").read_text()


@pytest.mark.parametrize("name", PARTS)
def test_the_page_explains_every_number_of_a_picture(name: str) -> None:
    after = PAGE.partition(f"../pictures/{name}.png)\n\n")[2]
    explained = [line for line in after.partition("\n\n")[0].splitlines() if re.match(r"\d+\. ", line)]
    assert [line.partition(".")[0] for line in explained] == [str(n + 1) for n in range(len(PARTS[name]))]


def test_every_number_of_a_picture_stands_at_something(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "result", "extra_card", "lost", "unread", "foreign_card") as floor:
        for name, parts in PARTS.items():
            kind, _, scene = PICTURES[name].rpartition("/")
            page.goto(f"{floor.board.url}{kind}/{floor.tables[scene].path if scene else ''}")
            for part in parts:
                expect(page.locator(part).first).to_be_visible()
