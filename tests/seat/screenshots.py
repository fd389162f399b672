"""The seat in every state, at each game, on a desktop and on phones, as pictures to look at.

python -m tests.seat.screenshots FOLDER [PART OF A NAME ...]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests.board.browser import launch
from tests.harness.patience import PATIENCE_S
from tests.seat.rooms import Rooms, Table, rooms

SIZES: dict[str, tuple[str, ViewportSize]] = {
    "desktop": ("ada", {"width": 1280, "height": 800}),
    "phone": ("ben", {"width": 390, "height": 844}),
    "small": ("cleo", {"width": 320, "height": 640}),
}
"""Size -> a player of its own, so that nobody takes over another's seat."""
BETS = {
    "baccarat": ("player", "tie", "player_pair"),
    "live": ("banker", "tie", "big"),
    "2-card-action": ("field", "any_pair", "sum_16", "single_8", "card_8S"),
    "two-cards-high": ("seat1.main", "seat1.side", "seat3.main"),
    "casino-holdem": ("hand1.ante", "hand1.bonus", "hand2.ante"),
}
DEALT = {
    "baccarat": "9S 2H TS 5D",
    "live": "8S 3H 9C 4D",
    "2-card-action": "8S 8H",
    "two-cards-high": " ".join(rank + suit for rank in "A23456789T" for suit in "SHDC"),
    "casino-holdem": "AS AD 2C 7D KS QD AH 9C 4D",
}


class Album:
    """The same moment in each size; ``folder`` gets the pictures."""

    def __init__(self, folder: Path, pages: dict[str, Page], wanted: list[str]) -> None:
        self._folder, self.pages, self._wanted = folder, pages, wanted

    def take(self, name: str) -> None:
        for size, page in self.pages.items():
            file = f"seat-{name}-{size}"
            if not self._wanted or any(part in file for part in self._wanted):
                page.wait_for_timeout(400)
                page.screenshot(path=str(self._folder / f"{file}.png"))

    def each(self, selector: str) -> None:
        """Click there in each size."""
        for page in self.pages.values():
            page.locator(selector).first.click()


def evening(album: Album, floor: Rooms, name: str) -> None:
    """One round of a game from the lobby to the result, and a second one that is annulled."""
    for size, page in album.pages.items():
        floor.sit(page, name, SIZES[size][0])
    table = floor.tables[name]
    place(album, table, name)
    album.take(f"{name}-bets")
    table.say("CLOSE")
    album.take(f"{name}-no-more-bets")
    table.say(DEALT[name])
    if name == "casino-holdem":
        decided(album, table)
    elif name == "two-cards-high":
        album.take(f"{name}-face-down")
        table.say("REVEAL")
    for page in album.pages.values():
        expect(page.locator(".result > .won")).to_have_count(1)
    album.take(f"{name}-result")
    table.say("SETTLED")
    if name == "baccarat":
        trouble(album, table)
        panels(album)


def place(album: Album, table: Table, name: str) -> None:
    table.open()
    for page in album.pages.values():
        page.locator('.chip[data-chip="500"]').click()
        for spot in BETS[name]:
            page.locator(f'[data-spot="{spot}"]').click()


def decided(album: Album, table: Table) -> None:
    album.take("casino-holdem-decide")
    album.each(".decision .play")
    album.take("casino-holdem-one-decided")
    table.say("DECIDED")
    album.take("casino-holdem-auto-folded")
    table.say("3H 5S")
    table.say("REVEAL")


def trouble(album: Album, table: Table) -> None:
    table.open()
    for page in album.pages.values():
        page.locator('.chip[data-chip="10000"]').click()
        page.locator('[data-spot="player"]').click()
        page.locator('[data-spot="player"]').click()
    album.take("maximum")
    table.say("HOLD")
    album.take("paused")
    table.say("CLEAR continue")
    album.take("continues")
    table.say("VOID supervisor")
    album.take("cancelled")


def panels(album: Album) -> None:
    for name in ("lobby", "settings", "help"):
        album.each(f".global.{name}")
        album.take(name)
        album.each("dialog .close")
    album.each(".limits-button")
    album.take("limits")
    album.each("dialog .close")
    album.each(".global.history")
    album.take("account-history")
    album.each("dialog tbody tr:nth-child(2) .link")
    album.take("game-history")
    album.each("dialog .close")


def several(album: Album, floor: Rooms) -> None:
    """Four tables side by side, and the same in Chinese."""
    for size, page in album.pages.items():
        floor.sit(page, "casino-holdem", SIZES[size][0])
    for name in ("baccarat", "two-cards-high", "2-card-action"):
        floor.tables[name].open()
        album.each(".global.lobby")
        album.each(f'dialog li[data-table="north/{name}"] .add-table')
    album.take("four-tables")
    for page in album.pages.values():
        page.evaluate("history.replaceState(null, '', '?lang=zh')")
        page.reload()
    album.take("chinese")


def main(folder: Path, wanted: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, rooms(Path(scratch)) as floor, sync_playwright() as one:
        browser = launch(one)
        pages = {
            size: browser.new_page(viewport=view, color_scheme="dark") for size, (_, view) in SIZES.items()
        }
        album = Album(folder, pages, wanted)
        expect.set_options(timeout=PATIENCE_S * 1000)
        for page in pages.values():
            page.set_default_timeout(PATIENCE_S * 1000)
            page.goto(floor.url)
        album.take("door")
        for name in [one for one in BETS if not wanted or one in wanted]:
            evening(album, floor, name)
        if not wanted or "four-tables" in wanted:
            several(album, floor)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
