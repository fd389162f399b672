"""What a person sees at a board: no jump of layout, words that can be read, the keyboard, motion, a kiosk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.board.boxes import SIZES, resize, wrong_boxes
from tests.board.browser import visitor
from tests.board.contrast import ALL_THEMES, pale, strength
from tests.board.pages import opened, show
from tests.board.played import PlayedTable
from tests.board.reading import expect_phase
from tests.board.scenes import SCENES, Laid, laid
from tests.harness.process import comes, until

MOVING = """() => [...document.querySelectorAll('body *')].map((box) => [box, getComputedStyle(box)])
    .filter(([, style]) => style.animationName !== 'none' || parseFloat(style.transitionDuration) > 0)
    .map(([box]) => box.getAttribute('class'))"""


def test_without_a_signal_every_word_can_still_be_read(browser: Browser, tmp_path: Path) -> None:
    with laid(tmp_path, "bets_open", "extra_card", "foreign_card", "result") as floor:
        page = opened(browser, floor.board.url, "full-hd")
        floor.broker.kill()
        wrong: dict[str, list[str]] = {}
        for name in ("/", "extra_card", "dealer/extra_card", "result", "dealer/result"):
            show(page, floor, name)
            expect(page.locator(".notice.silent")).to_be_visible()
            if found := pale(page):
                wrong[name] = found
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
    expect(page.locator(".more").first).to_be_attached()
    for size in ("full-hd", "upright"):
        # A long alert ends in dots where another one stands below it; nothing else is cut.
        assert [cut for cut in wrong_boxes(page, size) if not cut.startswith("alert:")] == []
        comes(partial(page.evaluate, "document.documentElement.scrollHeight <= innerHeight"), True)
    page.close()
    for table, name, _ in said:
        table.alert(name, None)


def test_a_page_wears_what_the_system_asks_for(browser: Browser, floor: Laid) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
    page.close()


def test_nothing_moves_where_the_system_asks_for_reduced_motion(browser: Browser, floor: Laid) -> None:
    _, board, tables = floor
    for motion in ("no-preference", "reduce"):
        page = visitor(browser, reduced_motion=motion)
        page.goto(f"{board.url}/table/{tables['result'].path}")
        page.wait_for_selector(".card.face")
        comes(partial(page.evaluate, f"({MOVING})().length > 0"), motion == "no-preference")
        page.close()


def test_the_floor_is_walked_by_keyboard_to_the_dealers_page_and_back(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    page.goto(board.url)
    expect(page.locator(".table-card")).to_have_count(len(tables))
    page.locator(".find").focus()
    page.keyboard.press("Tab")
    focused = page.locator(".table-card").first
    expect(focused).to_be_focused()
    address = focused.get_attribute("href")
    clock = page.locator(".wall-clock").inner_text()
    expect(page.locator(".wall-clock")).not_to_have_text(clock)
    expect(page.locator(f".table-card[href='{address}']")).to_be_focused()  # a new second keeps it
    expect(page.locator("*:focus")).to_have_css("outline-style", "solid")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    page.locator(".way-back").click()
    page.wait_for_url(f"{board.url}/")


def test_the_floor_shows_trouble_first_and_only_what_is_asked_for(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    page.goto(board.url)
    expect(page.locator(".table-card")).to_have_count(len(tables))
    held = [table.path for table in tables.values() if table.display["hold"]]
    expect(page.locator("[data-table]").nth(len(held))).to_have_attribute("data-table", tables["lost"].path)
    cards = page.locator("[data-table]")
    comes(
        lambda: sorted(cards.evaluate_all("cards => cards.map(card => card.dataset.table)")[: len(held)]),
        sorted(held),
    )
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
    page.evaluate("document.fonts.ready")
    before = places()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    expect_phase(page, "result")
    comes(places, before)
    table.tell("round_voided", reason="supervisor", by="S-1")
    expect(page.locator(".notice.void")).to_be_visible()
    comes(places, before)


@pytest.mark.parametrize("name", ["closed", "closed_at_once", "dealer/closed_at_once"])
def test_a_closed_table_says_so_on_every_screen_beside_its_last_result(
    page: Page, floor: Laid, name: str
) -> None:
    """A table that settles by itself is closed as soon as its last result stands."""
    show(page, floor, name)
    for size in SIZES:
        resize(page, size)
        expect(page.locator(".state .phase")).to_have_text("Closed")
        expect(page.locator(".state .phase")).to_be_visible()
        expect(page.locator(".state .outcome-words")).to_be_visible()


@pytest.mark.parametrize("scene", ["layout_a", "layout_c", "result", "showdown", "seven_seats"])
def test_the_lamp_burns_beside_every_result(page: Page, floor: Laid, scene: str) -> None:
    show(page, floor, scene)
    for size in SIZES:
        resize(page, size)
        expect(page.locator(".state .lamp")).to_be_visible()


@pytest.mark.parametrize("size", ["phone", "small-phone"])
def test_in_the_hand_the_last_rounds_leave_the_room_to_the_cards(page: Page, floor: Laid, size: str) -> None:
    show(page, floor, "gaps")
    resize(page, size)
    part = """() => {
        const high = (what) => document.querySelector(what).getBoundingClientRect().height;
        return high('.last') / high('.seat.player') < 0.6;
    }"""
    comes(lambda: page.evaluate(part), True)


@pytest.mark.parametrize("size", ["upright", "tablet", "phone", "small-phone"])
def test_how_a_hand_stands_is_said_in_full_size(page: Page, floor: Laid, size: str) -> None:
    show(page, floor, "showdown")
    resize(page, size)
    said = page.locator(".standing")
    expect(said).to_have_text(["qualifies", "beats the dealer", "beats the dealer"])
    fitted = "said => said.filter(one => one.style.getPropertyValue('--fit')).map(one => one.textContent)"
    comes(lambda: said.evaluate_all(fitted), [])


def test_an_alarm_is_the_strongest_thing_to_every_eye(page: Page, floor: Laid) -> None:
    """In every theme, and to who sees no red: farther from the ground in lightness than open bets are."""
    show(page, floor, "bets_open")
    open_bets = {theme: strength(page, theme, ".state") for theme in ALL_THEMES}
    alarms = {"extra_card": ".notice", "foreign_card": ".notice", "/": ".table-card.held"}
    for name, what in alarms.items():
        show(page, floor, name)
        for theme in ALL_THEMES:
            until(
                lambda theme=theme, what=what: all(
                    one > 1.2 * other
                    for one, other in zip(strength(page, theme, what), open_bets[theme], strict=True)
                ),
                f"{name} {theme}",
            )


def test_a_kiosk_takes_turns_between_tables(page: Page, floor: Laid) -> None:
    _, board, tables = floor
    names = [tables["bets_open"], tables["layout_c"]]
    page.goto(f"{board.url}/kiosk?every=3&" + "&".join(f"table={table.path}" for table in names))
    expect(page.locator(".game-baccarat")).to_be_visible()
    expect(page.locator(".game-2-card-action")).to_be_visible()
    expect(page.locator(".game-baccarat")).to_be_visible()
