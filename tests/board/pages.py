"""Every page of a board that is looked at, and the languages and colours in which."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.board.boxes import resize
from tests.board.browser import visitor
from tests.board.scenes import SCENES, Laid

DEALERS = tuple(f"dealer/{name}" for name in SCENES)
STEPS = tuple(
    f"dealer/{name}"
    for name in (
        "bets_open", "third_card", "extra_card", "unread", "decision", "foreign_card", "seven_seats",
        "shoe_change", "squeeze_third", "waits_for_book", "layout_c",
    )
)  # fmt: skip
"""The dealer's page at one of each step."""
MEASURED = "/", *SCENES, *STEPS, "kiosk"
"""Those that ``make test`` measures; `make screenshots` measures all."""
PAGES = ("/", *SCENES, *DEALERS, "kiosk")
"""The floor, a scene's table, its dealer's page, a kiosk."""
LANGUAGES = {
    "english": "",
    "simplified": "?lang=zh",
    "traditional": "?lang=zh-TW",
    "both": "?beside=zh-TW",
    "from-the-right": "?lang=ar",
}
"""Name -> how an address asks for it; ``both``: one beside the other."""
WORDS = f"words = '{Path(__file__).with_name('words')}'"
"""For a board: with a language that is written from the right; what has no words yet is English."""
THEMES = ("light", "contrast")
"""Beside dark, which is everywhere else."""
READY = ".table-card, .board:not(.empty), .act"


def show(page: Page, floor: Laid, name: str, words: str = "") -> None:
    """Go to one of ``PAGES``, and wait until all of it is there."""
    kind, _, scene = name.rpartition("/")
    path = floor.tables[scene].path if scene in SCENES else ""
    if name == "kiosk":
        first = next(iter(floor.tables.values()))
        address = f"/kiosk?table={first.path}{words.replace('?', '&')}"
    else:
        address = f"/{words}" if name == "/" else f"/{kind or 'table'}/{path}{words}"
    page.goto(floor.board.url + address)
    page.wait_for_selector(READY)
    expect(page.locator(".table-card")).to_have_count(len(floor.tables) if name == "/" else 0)


def opened(browser: Browser, address: str, size: str) -> Page:
    """A page with reduced motion, so that nothing moves while it is measured."""
    page = visitor(browser, reduced_motion="reduce")
    resize(page, size)
    page.goto(address)
    page.wait_for_selector(READY)
    return page
