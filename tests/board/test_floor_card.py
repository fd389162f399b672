"""What a table's card on the floor says beside its trouble: stakes, dealer, shoe, and that it is closed."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.board.boxes import SIZES, resize, wrong_boxes
from tests.board.browser import visitor
from tests.board.played import STATUS, PlayedTable
from tests.board.scenes import Laid, laid
from tests.harness.process import comes

A_SCREEN = 42


def card(page: Page, table: PlayedTable) -> Locator:
    return page.locator(f"[data-table='{table.path}']")


def left(table: PlayedTable) -> int:
    """Cards in the shoe, as the table says it."""
    number: int = table.display["shoe"]["left"]  # type: ignore[index]
    return number


def test_a_card_says_what_may_be_staked_who_deals_and_how_far_the_shoe_is(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "third_card") as floor:
        table = floor.tables["third_card"]
        page.goto(floor.board.url)
        shown = card(page, table)
        expect(shown.locator(".card-stakes > span")).to_have_text(["€5 – €5,000", "DealerD-12"])
        before = left(table)
        expect(shown.locator(".card-shoe")).to_have_text(f"{before} cards left")
        table.deal("5H")
        expect(shown.locator(".card-shoe")).to_have_text(f"{before - 1} cards left")
        table.tell("dealer_signed_off")
        expect(shown.locator(".card-stakes > span")).to_have_text(["€5 – €5,000", ""])
        for language, words in (("zh", f"余 {before - 1} 张"), ("zh-TW", f"餘 {before - 1} 張")):
            page.goto(f"{floor.board.url}/?lang={language}")
            expect(shown.locator(".card-shoe")).to_have_text(words)


def test_a_card_says_the_last_round_of_a_shoe_until_it_is_over(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "result") as floor:
        table = floor.tables["result"]
        page.goto(floor.board.url)
        shown = card(page, table)
        expect(shown.locator(".card-shoe")).to_have_text("Last round")
        table.tell("round_settled")
        expect(shown.locator(".card-words")).to_have_text("New shoe")
        expect(shown.locator(".card-shoe")).to_have_text(f"{left(table)} cards left")


def test_a_single_pack_that_is_shuffled_for_each_round_has_nothing_to_say(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "showdown") as floor:
        page.goto(floor.board.url)
        shown = card(page, floor.tables["showdown"])
        expect(shown.locator(".card-words")).to_have_text("Result")
        expect(shown.locator(".card-shoe")).to_have_text("")


def test_a_closed_table_says_so_until_a_supervisor_opens_it(page: Page, tmp_path: Path) -> None:
    with laid(tmp_path, "closed") as floor:
        table = floor.tables["closed"]
        page.goto(floor.board.url)
        words = card(page, table).locator(".card-words")
        expect(words).to_have_text("Closed")
        table.tell("table_opened", by="S-1")
        expect(words).to_have_text("Settled")
        table.tell("table_closed", by="S-1")
        for language, closed in (("zh", "已关台"), ("zh-TW", "已關桌")):
            page.goto(f"{floor.board.url}/?lang={language}")
            expect(words).to_have_text(closed)


def fill(floor: Laid, table: PlayedTable) -> None:
    """As many tables as stand on a screen, with large stakes and a long badge; each third holds, too."""
    plays = table.display
    table.tell("hold_requested", by="dealer")
    limits = {"currency": "IDR", "table": {"min": 10_000_000, "max": 5_000_000_000_00}, "spots": {}}
    said = [
        {**one, "limits": limits, "dealer": "D-0815-Croupier-4711"} for one in (plays, plays, table.display)
    ]
    for number in range(A_SCREEN):
        base = f"dealer-table/v1/far/{number}"
        table.publisher.send(
            f"{base}/status", json.dumps({**STATUS, "state": "online", "mode": "live"}).encode()
        )
        table.publisher.send(f"{base}/display", json.dumps(said[number % 3]).encode())
    table.publisher.retain(f"{table.base}/display", b"")
    table.publisher.retain(f"{table.base}/status", b"")


def test_forty_two_cards_stand_on_one_screen_and_nothing_of_them_is_cut(
    browser: Browser, tmp_path: Path
) -> None:
    with laid(tmp_path, "third_card") as floor:
        fill(floor, floor.tables["third_card"])
        page = visitor(browser, reduced_motion="reduce")
        page.goto(floor.board.url)
        expect(page.locator("[data-table]")).to_have_count(A_SCREEN)
        expect(page.locator(".card-stakes").last).to_contain_text("IDR")
        expect(page.locator("[data-table]").first.locator(".card-words")).to_contain_text("Held for")
        wrong = {size: found for size in SIZES if (found := wrong_boxes(page, size))}
        assert wrong == {}
        for size in ("full-hd", "upright"):
            resize(page, size)
            comes(partial(page.evaluate, "document.documentElement.scrollHeight <= innerHeight"), True)
        page.close()
