"""Every step of a table in any size: nothing cut off or overlapping, AA contrast and roles by axe-core."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.board.boxes import SIZES, resize, violations, wrong_boxes
from tests.board.contrast import pale
from tests.board.pages import MEASURED, opened, show
from tests.board.scenes import Laid

PARTS = 3
"""A busy machine must not make one test too long."""


TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
AXE: dict[str, object] = {"runOnly": {"type": "tag", "values": TAGS}}


@pytest.mark.parametrize("part", range(PARTS))
def test_in_any_size_nothing_is_cut_off_or_overlaps_and_axe_finds_nothing(
    browser: Browser, floor: Laid, part: int
) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    wrong: dict[str, object] = {}
    for name in MEASURED[part::PARTS]:
        show(page, floor, name)
        for size in SIZES if name != "kiosk" else ():
            if found := wrong_boxes(page, size):
                wrong[f"{name} {size}"] = found
        resize(page, "full-hd")
        if unfit := {**violations(page, AXE), **dict.fromkeys(pale(page), ("pale", ""))}:
            wrong[name] = unfit
    page.close()
    assert wrong == {}
