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

    def take(self, name: str, *sizes: str) -> None:
        """In these sizes, or in each."""
        for size in sizes or self.pages:
            page = self.pages[size]
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
    trouble(album, table, name)
    if name == "baccarat":
        panels(album)
        talk(album)
        gone(album, table)


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


def trouble(album: Album, table: Table, name: str) -> None:
    """The limit, a pause, and a round that is cancelled with refund."""
    table.open()
    for page in album.pages.values():
        page.locator('.chip[data-chip="10000"]').click()
        for _ in "ab":
            page.locator(f'[data-spot="{BETS[name][0]}"]').click()
    album.take(f"{name}-maximum")
    table.say("HOLD")
    album.take(f"{name}-paused")
    table.say("CLEAR continue")
    album.take(f"{name}-continues")
    table.say("CLOSE; VOID supervisor")
    album.take(f"{name}-cancelled")


def panels(album: Album) -> None:
    for name in ("lobby", "settings", "help", "responsible"):
        album.each(f".global.{name}")
        album.take(name)
        for tab in ("video", "sound") if name == "settings" else ():
            album.each(f"#tab-{tab}")
            album.take(f"settings-{tab}")
        album.each("dialog .close")
    album.each(".limits-button")
    album.take("limits")
    album.each("dialog .close")
    album.each(".global.history")
    album.take("account-history")
    album.each("dialog tbody tr:nth-child(2) .link")
    album.take("game-history")
    album.each("dialog .close")


def talk(album: Album) -> None:
    album.each(".global.chat")
    for page, line in zip(
        album.pages.values(), ("Good evening", "Good luck, all", "Thank you!"), strict=True
    ):
        page.get_by_label("Say something").fill(line)
        page.keyboard.press("Enter")
    for page in album.pages.values():
        expect(page.get_by_role("log").locator("li")).to_have_count(3)
    album.take("chat")
    album.each(".chat-window .close")


def gone(album: Album, table: Table) -> None:
    """Who leaves while bets are open gets them back; a player with little money; another device."""
    place(album, table, "baccarat")
    for page in album.pages.values():
        expect(page.locator("[data-sum][aria-busy]")).to_have_count(0)
        page.reload()
        expect(page.get_by_role("alert")).to_contain_text("your bets were returned")
    album.take("given-back")
    table.say("CLOSE; VOID supervisor")


def few(album: Album, floor: Rooms) -> None:
    """One player with seven euros on each device in turn: chips that the balance does not cover, the yellow
    light, own limits; and the seat on each device after the next one has taken it."""
    table = floor.tables["live"]
    table.open()
    for size, page in album.pages.items():
        floor.sit(page, "live", "dan")
        expect(page.locator(".chip:disabled").first).to_be_visible()
        expect(page.locator(".lamp .yellow.on")).to_have_count(1)
        album.take("little-money", size)
        floor.service.caller("dan").http.put("/limits", json={"loss": 1}).raise_for_status()
        page.locator('[data-spot="player"]').click()
        expect(page.get_by_role("alert").first).to_be_visible()
        album.take("own-limit", size)
    *before, last = album.pages
    album.take("another-device", *before)
    album.pages[before[0]].locator(".taken button").click()
    expect(album.pages[last].locator(".taken")).to_have_count(1)
    album.take("another-device", last)
    table.say("CLOSE; VOID supervisor")


def unheard(album: Album, floor: Rooms) -> None:
    floor.broker.stop()
    for page in album.pages.values():
        expect(page.locator(".notice.silent").first).to_be_visible()
    album.take("no-signal")


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
    with (
        tempfile.TemporaryDirectory() as scratch,
        rooms(Path(scratch), hurry="live") as floor,
        sync_playwright() as one,
    ):
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
        for page in pages.values():
            page.get_by_label("Your token").fill("no-such-token-here")
            page.get_by_role("button", name="Sit down").click()
            expect(page.get_by_role("alert")).to_be_visible()
        album.take("door-refused")
        for name in [one for one in BETS if not wanted or one in wanted]:
            evening(album, floor, name)
        if not wanted or "little-money" in wanted:
            few(album, floor)
        if not wanted or "four-tables" in wanted:
            several(album, floor)
            unheard(album, floor)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
