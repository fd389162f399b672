"""Every step of a table: nothing cut off or overlapping in any size and language, AA contrast and roles by
axe-core.

Each page is measured in half of the sizes in one language and in the other half in another, so that each
language has its turn with each size; `make screenshots` measures all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.board.boxes import SIZES, violations, wrong_boxes
from tests.board.contrast import pale
from tests.board.pages import LANGUAGES, MEASURED, opened, show
from tests.board.scenes import Laid, laid

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
AXE: dict[str, object] = {"runOnly": {"type": "tag", "values": TAGS}}


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_cut_off_and_nothing_overlaps(browser: Browser, floor: Laid, language: str) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    wrong: dict[str, list[str]] = {}
    for name, sizes in turns(language):
        show(page, floor, name, LANGUAGES[language])
        for size in sizes:
            if found := wrong_boxes(page, size):
                wrong[f"{name} {size}"] = found
    page.close()
    assert wrong == {}


def turns(language: str) -> Iterator[tuple[str, list[str]]]:
    """The pages that are measured in this language, each with its sizes."""
    for at, name in enumerate(page for page in MEASURED if page != "kiosk"):
        for half in range(2):
            if [*LANGUAGES][(2 * at + half) % len(LANGUAGES)] == language:
                yield name, [*SIZES][(at + half) % 2 :: 2]


def test_each_page_is_measured_in_each_size_and_each_language_has_each_size() -> None:
    measured = [
        (name, size, language) for language in LANGUAGES for name, sizes in turns(language) for size in sizes
    ]
    assert sorted((name, size) for name, size, _ in measured) == sorted(
        (name, size) for name in MEASURED if name != "kiosk" for size in SIZES
    )
    assert {(size, language) for _, size, language in measured} == {*product(SIZES, LANGUAGES)}


def test_the_longest_names_of_two_languages_fit_the_head_of_a_result(
    tmp_path: Path, browser: Browser
) -> None:
    with laid(tmp_path, "result", longest=True) as named:
        page = opened(browser, named.board.url, "5:4")
        show(page, named, "dealer/result", LANGUAGES["both"])
        found = wrong_boxes(page, "5:4")
        page.close()
    assert found == []


@pytest.mark.parametrize("part", range(2))
def test_axe_finds_nothing_and_nothing_is_pale(browser: Browser, floor: Laid, part: int) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    wrong: dict[str, object] = {}
    for name in MEASURED[part::2]:
        show(page, floor, name)
        if unfit := {**violations(page, AXE), **dict.fromkeys(pale(page), ("pale", ""))}:
            wrong[name] = unfit
    page.close()
    assert wrong == {}
