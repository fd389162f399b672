"""The numbered pictures of the page about the board: each number stands at something and is explained."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.board.boxes import SIZES
from tests.board.pages import show
from tests.board.scenes import Laid, laid
from tests.board.screenshots import FRONT_PAGE, IN_PICTURES, NUMBER, PARTS, PICTURES, Album

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "result-board.md").read_text()


@pytest.mark.parametrize("name", PARTS)
def test_the_page_explains_every_number_of_a_picture(name: str) -> None:
    after = PAGE.partition(f"../pictures/{name}.png)\n\n")[2]
    explained = [line for line in after.partition("\n\n")[0].splitlines() if re.match(r"\d+\. ", line)]
    assert [line.partition(".")[0] for line in explained] == [str(n + 1) for n in range(len(PARTS[name]))]


@pytest.fixture
def shown(tmp_path: Path) -> Iterator[Laid]:
    """The tables of all pictures."""
    with laid(tmp_path, *IN_PICTURES) as floor:
        yield floor


@pytest.mark.parametrize("name", PARTS)
def test_every_number_of_a_picture_stands_at_something_and_on_no_word(
    page: Page, shown: Laid, name: str
) -> None:
    page.set_viewport_size(FRONT_PAGE)
    kind, _, scene = PICTURES[name].rpartition("/")
    page.goto(f"{shown.board.url}{kind}/{shown.tables[scene].path if scene else ''}")
    for part in PARTS[name]:
        expect(page.locator(part).first).to_be_visible()
    page.evaluate(NUMBER, PARTS[name])


def test_a_picture_is_as_large_as_its_screen(page: Page, shown: Laid, tmp_path: Path) -> None:
    """Also after another one was taken, and measured."""
    show(page, shown, "dealer/extra_card")
    for size in ("upright", "bar", "upright", "phone"):
        Album(tmp_path, []).take(page, "album/one", size)
        width, height = struct.unpack(">II", (tmp_path / "album" / "one.png").read_bytes()[16:24])
        assert (width, height >= SIZES[size][1]) == (SIZES[size][0], True)
        assert height == SIZES[size][1] or size == "phone"


def test_a_picture_does_not_contradict_itself(shown: Laid) -> None:
    """Tables of a floor open at moments of their own, a shoe holds what its decks have, its last round comes
    when few cards are left.
    """
    displays = [table.display for table in shown.tables.values()]
    numbers = [display["game_number"] for display in displays]
    assert len({*numbers}) == len(numbers)
    for display in displays:
        table: dict[str, Any] = display
        found = [one["code"] for one in (table["hold"] or {}).get("evidence", ())]
        assert "excess" not in found, table["round"]
        assert not table["last_round"] or table["shoe"]["left"] < table["shoe"]["cards"] / 6, table["round"]
