"""Every step of a table in every language: nothing cut off or overlapping."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.board.boxes import SIZES, wrong_boxes
from tests.board.pages import LANGUAGES, MEASURED, opened, show
from tests.board.scenes import Laid


@pytest.mark.parametrize("turn", range(1, len(LANGUAGES)))
def test_in_each_language_nothing_is_cut_off_and_nothing_overlaps(
    browser: Browser, floor: Laid, turn: int
) -> None:
    # Each page in a quarter of the sizes, with the next language in another: `make screenshots` measures all.
    words = [*LANGUAGES.values()][turn]
    page = opened(browser, floor.board.url, "full-hd")
    wrong: dict[str, list[str]] = {}
    for at, name in enumerate(MEASURED[:-1]):
        show(page, floor, name, words)
        for size in [*SIZES][(at + turn) % 4 :: 4]:
            if found := wrong_boxes(page, size):
                wrong[f"{name} {size}"] = found
    page.close()
    assert wrong == {}
