"""What the document lists around the table: buttons, settings, chat, lobby, several tables at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.board.browser import visitor
from tests.harness.process import comes, until
from tests.seat.reading import lies, spot, sums
from tests.seat.rooms import CASHIER, Rooms, rooms


def kept(floor: Rooms, player: str, **settings: object) -> None:
    """These settings are kept of the player."""
    service = floor.service.caller(player)
    comes(lambda: {name: service.get("/settings")[name] for name in settings}, settings)


def test_what_else_the_document_lists(floor: Rooms, page: Page) -> None:
    """REPEAT and SOUND by a click, CMD+Z, CASHIER, video quality, others' messages, the whole screen and
    back, another table by its name in the lobby, where there is sound again; the game number."""
    table = floor.sit(page, "baccarat", "cleo")
    table.open()
    spot(page, "player").click()
    spot(page, "tie").click()
    sums(page, total="€2")
    page.keyboard.press("Meta+z")
    sums(page, total="€1")
    table.say("CLOSE; VOID supervisor")
    table.open()
    page.get_by_role("button", name="Repeat").click()
    lies(page, "player", 100)
    sound = page.get_by_role("button", name="Sound")
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    expect(page.get_by_role("link", name="Cashier")).to_have_attribute("href", CASHIER)
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("checkbox", name="Show other players' messages").uncheck()
    page.get_by_role("tab", name="Video").click()
    page.get_by_label("Video quality").select_option("off")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    kept(floor, "cleo", video="off", chat=False, sound=False)
    whole = "document.fullscreenElement !== null"
    for now in (True, False):
        page.get_by_role("button", name="Full screen").click()
        # A wait in the page evaluates there, which its policy forbids.
        comes(lambda: page.evaluate(whole), now)
    table.say("CLOSE; VOID supervisor")
    page.get_by_role("button", name="Lobby").click()
    page.locator('dialog li[data-table="north/live"] .go').click()
    expect(page.locator("article.table")).to_have_attribute("data-table", "north/live")
    expect(sound).to_have_attribute("aria-pressed", "true")
    kept(floor, "cleo", sound=True)
    table = floor.tables["live"]
    table.open()
    expect(page.locator(".game-number")).to_contain_text(str(table.shown()["game_number"]))
    table.say("CLOSE; VOID supervisor")


def test_the_light_is_yellow_when_betting_time_is_nearly_over(tmp_path: Path, page: Page) -> None:
    with rooms(tmp_path, hurry="baccarat") as floor:
        table = floor.sit(page, "baccarat")
        table.open()
        expect(page.locator(".lamp .yellow.on")).to_have_count(1)
        spot(page, "player").click()  # there is still time
        lies(page, "player", 100)
        table.say("CLOSE")
        expect(page.locator(".lamp .red.on")).to_have_count(1)
        table.say("VOID supervisor")


def test_up_to_four_tables_and_each_is_left_alone(floor: Rooms, page: Page) -> None:
    floor.sit(page, "baccarat")
    for name in ("live", "casino-holdem", "2-card-action"):
        page.get_by_role("button", name="Lobby").click()
        page.locator(f'dialog li[data-table="north/{name}"] .add-table').click()
    expect(page.locator("article.table")).to_have_count(4)
    page.get_by_role("button", name="Lobby").click()
    page.locator('dialog li[data-table="north/two-cards-high"] .add-table').click()
    expect(page.locator("article.table")).to_have_count(4)
    page.keyboard.press("Escape")
    for part in (".head", ".bar"):  # lights, clock and balance of all four on one screen of 800 pixels
        for seen in page.locator(f"article.table {part}").all():
            expect(seen).to_be_in_viewport(ratio=0.99)
    table = floor.tables["baccarat"]
    table.open()
    here = page.locator('article[data-table="north/baccarat"]')
    here.locator('[data-spot="player"]').click()
    expect(here.locator('[data-sum="total"]')).to_have_text("€1")
    page.get_by_role("button", name="Leave table live").click()
    expect(page.locator("article.table")).to_have_count(3)
    expect(here.locator('[data-sum="total"]')).to_have_text("€1")
    table.say("CLOSE; VOID supervisor")


COVERED = """[...document.querySelectorAll(".spot:has(.bet) .spot-worth")].filter((worth) => {
    const [pay, chip] = [worth, worth.closest(".spot").querySelector(".bet")].map((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return one.classList.contains("bet") ? one.getBoundingClientRect() : range.getBoundingClientRect();
    });
    return chip.left < pay.right && pay.left < chip.right && chip.top < pay.bottom && pay.top < chip.bottom;
}).length"""
"""How many pays a chip hides."""


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_chip_hides_no_pay(floor: Rooms, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    table = floor.sit(page, "2-card-action", "cleo")
    table.open()
    page.locator('.chip[data-chip="500"]').click()
    for name in ("field", "any_pair", "sum_16", "single_8", "pair_T", "card_8S"):
        spot(page, name).click()
        lies(page, name, 500)
    comes(lambda: page.evaluate(COVERED), 0)
    table.say("CLOSE; VOID supervisor")


def test_the_chat(floor: Rooms, page: Page, browser: Browser) -> None:
    floor.sit(page, "baccarat")
    other = visitor(browser)
    floor.sit(other, "baccarat", "ben")  # cleo has hidden what others say
    for one in (page, other):
        one.get_by_role("button", name="Chat").click()
    page.get_by_label("Say something").fill("good luck <b>all</b>")
    page.keyboard.press("Enter")
    for one in (page, other):
        expect(one.get_by_role("log").locator("li")).to_have_text("ada good luck <b>all</b>")
    other.get_by_label("Say something").fill("1 z")  # no key of the table
    other.get_by_role("button", name="Send").click()
    expect(page.get_by_role("log").locator("li")).to_have_count(2)
    page.get_by_role("group", name="Chat").get_by_role("button", name="Close").click()
    expect(page.get_by_role("log")).to_have_count(0)
    other.close()


def test_the_chat_is_moved_sized_and_closed_by_pointer_and_by_keys(floor: Rooms, page: Page) -> None:
    floor.sit(page, "baccarat")
    page.get_by_role("button", name="Chat").click()
    window = page.get_by_role("group", name="Chat")
    head, grip = window.get_by_role("heading"), window.get_by_role("button", name="Move with the arrow keys")

    def box() -> tuple[int, int, int, int]:
        at = window.evaluate("(one) => one.getBoundingClientRect()")
        return round(at["x"]), round(at["y"]), round(at["width"]), round(at["height"])

    def comes_to(*expected: int) -> None:
        comes(box, expected)

    left, top, width, height = box()
    head.hover(position={"x": 5, "y": 5})
    page.mouse.down()
    page.mouse.move(left - 300, top - 200)
    page.mouse.move(-500, -500)  # no further than the edge of the screen
    page.mouse.up()
    comes_to(0, 0, width, height)
    page.mouse.move(400, 400)
    grip.focus()
    grip.evaluate(  # all before the next picture
        """(grip) => ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowLeft"].forEach(
            (key) => grip.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })))"""
    )
    comes_to(24, 24, width, height)  # nor did it follow the pointer, which had let it go
    for key in ("Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowDown", "Shift+ArrowUp"):
        page.keyboard.press(key)
    comes_to(24, 24, width + 24, height + 24)
    page.mouse.move(24 + width + 24 - 4, 24 + height + 24 - 4)  # its corner
    page.mouse.down()
    page.mouse.move(24 + width + 100, 24 + height + 50, steps=4)
    page.mouse.up()
    until(lambda: box()[2] > width + 24 and box()[3] > height + 24, box)
    comes_to(24, 24, *box()[2:])
    page.keyboard.press("Escape")
    expect(window).to_have_count(0)


def test_settings_stay_and_are_applied_at_once(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat", "ben")
    table.open()
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("tab", name="Sound").click()
    page.get_by_role("checkbox", name="Sound").uncheck()
    page.get_by_label("Game sound").fill("20")
    page.get_by_role("tab", name="General").click()
    page.get_by_label("Language").select_option("zh")
    expect(page.get_by_role("heading", name="设置")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="声音")).to_have_attribute("aria-pressed", "false")
    kept(floor, "ben", language="zh", sound=False, game_volume=20)
    page.get_by_role("button", name="设置").click()
    page.get_by_label("语言").select_option("en")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Help").click()
    expect(page.locator("dialog[open] kbd")).to_have_count(4)
    page.keyboard.press("Escape")
    page.get_by_role("button", name=re.compile("Bet limits")).click()
    expect(page.locator("dialog[open] tbody tr")).to_have_count(8)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Responsible gaming").click()
    page.get_by_label("Lose at most").fill("50")
    page.get_by_role("button", name="Set my limits").click()
    expect(page.get_by_label("Lose at most")).to_have_value("50")
    page.get_by_label("Lose at most").fill("100")
    page.get_by_role("button", name="Set my limits").click()
    expect(page.get_by_text("A looser limit counts in 24 hours")).to_be_visible()
    comes(lambda: floor.service.caller("ben").get("/limits")["loss"], 5000)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("Your token").fill("no-such-token-here")
    page.get_by_role("button", name="Sit down").click()
    expect(page.get_by_role("alert")).to_have_text("This token is not known here")
    table.say("CLOSE; VOID supervisor")


@pytest.mark.parametrize(
    ("minor", "currency", "said"),
    [
        (500, "EUR", "5"),
        (4990, "EUR", "49.90"),
        (123_456, "EUR", "1,234.56"),
        (250_000, "EUR", "2.5K"),
        (9_999_900, "EUR", "99,999"),
        (100_000_000, "EUR", "1M"),
        (123_450, "JPY", "123.45K"),
        (123_456, "JPY", "123,456"),
    ],
)
def test_a_chip_and_what_came_back_are_never_rounded(
    floor: Rooms, page: Page, minor: int, currency: str, said: str
) -> None:
    page.goto(floor.url)
    given = "async ([minor, currency]) => (await import('/seat/app/money.js')).chipText(minor, currency)"
    comes(lambda: page.evaluate(given, [minor, currency]), said)
