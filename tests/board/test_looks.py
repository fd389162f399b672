"""Every scene: nothing cut off or overlapping, no jump of layout, AA contrast and roles by axe-core."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.board.boxes import SIZES, wrong_boxes
from tests.board.played import PlayedTable
from tests.board.reading import expect_phase
from tests.board.scenes import SCENES, Laid, laid

DEALERS = ("bets_open", "extra_card", "decision", "foreign_card", "seven_seats")
ALSO_IN_LIGHT = ("dragon_tails", "live_odds", "layout_c", "decision", "seven_seats", "lost")
READY = ".table-card, .board:not(.empty), .act"

PARTS = 4
"""A busy machine must not make one test too long."""

MOVING = """() => [...document.querySelectorAll('body *')].map((box) => [box, getComputedStyle(box)])
    .filter(([, style]) => style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0)
    .map(([box]) => box.getAttribute('class'))"""

AXE = {
    "dark": {
        "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
    },
    "light": {"runOnly": {"type": "rule", "values": ["color-contrast"]}},
}
"""The two differ in nothing but their colours."""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Laid]:
    """A board with every scene."""
    with laid(tmp_path_factory.mktemp("scenes"), *SCENES) as whole:
        yield whole


def opened(browser: Browser, address: str, size: str) -> Page:
    """A page with reduced motion, so that nothing moves while it is measured."""
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height}, reduced_motion="reduce")
    page.goto(address)
    page.wait_for_selector(READY)
    return page


ALL = tuple(SIZES)
SOME = ("full-hd", "5:4", "tablet", "phone")


@pytest.mark.parametrize(
    ("words", "sizes"),
    [("", ALL[:4]), ("", ALL[4:8]), ("", ALL[8:]), ("?lang=zh", SOME), ("?lang=zh-TW&beside=en", SOME)],
)
def test_nothing_is_cut_off_and_nothing_overlaps_in_any_size(
    browser: Browser, floor: Laid, words: str, sizes: tuple[str, ...]
) -> None:
    _, board, tables = floor
    addresses = ["/", *(f"/table/{table.path}" for table in tables.values())]
    addresses += [f"/dealer/{tables[name].path}" for name in DEALERS]
    page = opened(browser, board.url, "full-hd")
    wrong: dict[str, list[str]] = {}
    for address in addresses:
        page.goto(board.url + address + words)
        page.wait_for_selector(READY)
        for size in sizes:
            if found := wrong_boxes(page, size):
                wrong[f"{address} {size}"] = found
    page.close()
    assert wrong == {}


ALERTS = (
    "the disk is full",
    "the shuffler counted 415 cards instead of 416: load another shoe",
    "this shoe deals no further round (a card that is not part of this set was found): load another one",
)


MOST_TABLES = 21
"""A floor that stands on one screen whatever its alerts."""


@pytest.fixture
def full_floor(tmp_path: Path) -> Iterator[Laid]:
    """A board with as many tables as one screen takes."""
    with laid(tmp_path, *list(SCENES)[-MOST_TABLES:]) as whole:
        yield whole


def test_all_tables_and_their_alerts_stand_on_one_screen(browser: Browser, full_floor: Laid) -> None:
    _, board, tables = full_floor
    said = [(table, f"a{n}", n) for at, table in enumerate(tables.values()) for n in range(at % 6)]
    for table, name, n in said:
        table.alert(name, ALERTS[n % len(ALERTS)])
    page = opened(browser, board.url, "full-hd")
    last = said[-1][0].path
    expect(page.locator(f"[data-table='{last}'] .alert").first).to_be_visible()
    assert page.locator(".more").count() > 0
    for size in ("full-hd", "upright"):
        # A long alert ends in dots where another one stands below it; nothing else is cut.
        assert [cut for cut in wrong_boxes(page, size) if not cut.startswith("alert:")] == []
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    page.close()
    for table, name, _ in said:
        table.alert(name, None)


def violations(page: Page, where: str, scheme: str) -> dict[str, tuple[str, str]]:
    """What axe-core finds on the page as it stands, by rule: the first element and why."""
    found = {}
    for one in Axe().run(page, options=AXE[scheme]).response["violations"]:
        node = one["nodes"][0]
        found[f"{where} {one['id']}"] = (node["html"][:160], node["failureSummary"][:300])
    return found


@pytest.mark.parametrize(("scheme", "part"), [*(("dark", part) for part in range(PARTS)), ("light", 0)])
def test_axe_finds_nothing_on_any_page_in_any_state(
    browser: Browser, floor: Laid, scheme: Literal["dark", "light"], part: int
) -> None:
    _, board, tables = floor
    shown = tables if scheme == "dark" else ALSO_IN_LIGHT
    addresses = ["/", *(f"/table/{tables[name].path}" for name in shown)]
    addresses += [f"/dealer/{tables[name].path}" for name in DEALERS]
    addresses += [f"/kiosk?table={tables['result'].path}"]
    page = opened(browser, board.url, "full-hd")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    wrong = {}
    for address in addresses[part :: PARTS if scheme == "dark" else 1]:
        page.goto(board.url + address)
        page.wait_for_selector(READY)
        wrong |= violations(page, address, scheme)
    page.close()
    assert wrong == {}


def test_nothing_moves_where_the_system_asks_for_reduced_motion(browser: Browser, floor: Laid) -> None:
    _, board, tables = floor
    moving = {}
    for motion in ("no-preference", "reduce"):
        page = browser.new_page(reduced_motion=motion)  # type: ignore[arg-type]
        page.goto(f"{board.url}/table/{tables['result'].path}")
        page.wait_for_selector(".card.face")
        moving[motion] = page.evaluate(MOVING)
        page.close()
    assert moving["no-preference"] != []
    assert moving["reduce"] == []


def test_the_floor_is_walked_by_keyboard_to_the_dealers_page_and_back(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    page.goto(board.url)
    expect(page.locator(".table-card")).to_have_count(len(tables))
    page.locator(".find").focus()
    page.keyboard.press("Tab")
    focused = page.evaluate("document.activeElement.getAttribute('href')")
    assert focused == page.locator(".table-card").first.get_attribute("href")
    clock = page.locator(".wall-clock").inner_text()
    expect(page.locator(".wall-clock")).not_to_have_text(clock)
    assert page.evaluate("document.activeElement.getAttribute('href')") == focused, "a new second keeps it"
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is seen"
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{focused}")
    page.locator(".way-back").click()
    page.wait_for_url(f"{board.url}/")


def test_the_floor_shows_trouble_first_and_only_what_is_asked_for(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    page.goto(board.url)
    expect(page.locator(".table-card")).to_have_count(len(tables))
    held = [table.path for table in tables.values() if table.display["hold"]]
    expect(page.locator("[data-table]").nth(len(held))).to_have_attribute("data-table", tables["lost"].path)
    first = page.locator("[data-table]").evaluate_all("cards => cards.map(card => card.dataset.table)")
    assert sorted(first[: len(held)]) == sorted(held)
    expect(page.locator(".held .card-words").first).to_contain_text("Held for ")
    page.locator("[data-filter=hold]").click()
    expect(page.locator(".table-card")).to_have_count(len(held))
    page.reload()
    expect(page.locator(".table-card")).to_have_count(len(held))
    page.locator("[data-filter=all]").click()
    page.locator(".find").fill("south")
    expect(page.locator("[data-table]")).to_have_count(1)


def test_nothing_jumps_from_bets_to_result(page: Page, lay: Callable[..., PlayedTable]) -> None:
    table = lay("l1", "baccarat")
    table.rounds(3)

    def places() -> dict[str, list[float]]:
        read: dict[str, list[float]] = page.evaluate(
            """() => Object.fromEntries(
                [...document.querySelectorAll('header, main > section:not(.notice), .road')]
                .map((box, at) => [`${at} ${box.className.split(' ')[0]}`, box])
                .map(([name, box]) => [name, box.getBoundingClientRect()])
                .map(([name, at]) => [name, [at.x, at.y, at.width, at.height]]))"""
        )
        return read

    table.open()
    expect_phase(page, "betting")
    before = places()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    expect_phase(page, "result")
    assert places() == before
    table.tell("round_voided", reason="supervisor", by="S-1")
    expect(page.locator(".notice.void")).to_be_visible()
    assert places() == before


def test_a_kiosk_takes_turns_between_tables(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    names = [tables["bets_open"], tables["layout_c"]]
    page.goto(f"{board.url}/kiosk?every=3&" + "&".join(f"table={table.path}" for table in names))
    expect(page.locator(".game-baccarat")).to_be_visible()
    expect(page.locator(".game-2-card-action")).to_be_visible()
    expect(page.locator(".game-baccarat")).to_be_visible()
