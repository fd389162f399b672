"""A person plays at each game in a real browser: every button and every key that the document lists."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import APIResponse, Browser, Page, Route, expect

from tests.board.boxes import CONTRAST, violations
from tests.board.browser import visitor
from tests.harness.process import comes
from tests.seat.reading import balance, lies, minor, repeat, spot, sums, taken
from tests.seat.rooms import Rooms

FIRST = {
    "baccarat": ("player", "tie"),
    "live": ("player", "tie"),
    "2-card-action": ("field", "card_8S"),
    "two-cards-high": ("seat1.main", "seat7.side"),
    "casino-holdem": ("hand1.ante", "hand2.ante"),
}
"""Table -> two spots that take a bet by themselves."""


@pytest.mark.parametrize("name", FIRST)
def test_bets_with_touch_and_keys(floor: Rooms, page: Page, name: str) -> None:
    """Chips, clicks, UNDO, DOUBLE, REPEAT, TOTAL BET, and their keys."""
    table = floor.sit(page, name)
    table.open()
    one, two = FIRST[name]
    expect(spot(page, one)).to_have_class(re.compile("open"))
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"^\d:\d\d$"))
    expect(page.locator(".lamp .green.on")).to_have_count(1)
    before = minor(page, "balance")
    page.keyboard.press("3")
    expect(page.locator('.chip[data-chip="500"]')).to_have_attribute("aria-checked", "true")
    page.keyboard.press("1")
    spot(page, one).click()
    spot(page, one).click()
    page.locator('.chip[data-chip="200"]').click()
    spot(page, two).click()
    lies(page, one, 200)
    lies(page, two, 200)
    sums(page, total="€4")
    balance(page, before - 400)
    page.get_by_role("button", name="Double").click()
    sums(page, total="€8")
    for key, left in (("Control+z", "€4"), ("Delete", "€2"), ("Backspace", "€1")):
        page.keyboard.press(key)
        sums(page, total=left)
    page.keyboard.press("Space")  # bets lie: twice as much
    sums(page, total="€2")
    page.get_by_role("button", name="Undo").click()
    sums(page, total="€1")
    page.keyboard.press("Control+z")
    sums(page, total="€0")
    spot(page, two).focus()
    page.keyboard.press("Enter")
    lies(page, two, 200)
    page.keyboard.press("Delete")
    balance(page, before)
    spot(page, one).click()
    sums(page, total="€2")
    table.say("CLOSE")
    expect(page.locator(".lamp .red.on")).to_have_count(1)
    expect(spot(page, one)).to_have_attribute("aria-disabled", "true")
    table.say("VOID supervisor")
    expect(page.locator(".notice.void")).to_contain_text("The round is cancelled")
    expect(page.locator(".won.back")).to_have_text("€2 returned")
    balance(page, before)
    table.open()
    sums(page, total="€0")
    repeat(page)
    sums(page, total="€2")
    expect(page.get_by_role("button", name="Repeat")).to_have_count(0)
    page.keyboard.press("Space")  # DOUBLE
    sums(page, total="€4")
    table.say("CLOSE; VOID supervisor")


def test_who_holds_undo_or_its_key_takes_all_back(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat")
    table.open()
    before = minor(page, "balance")
    for name in ("player", "tie"):
        spot(page, name).click()
    sums(page, total="€2")
    page.get_by_role("button", name="Undo").hover()
    page.mouse.down()
    sums(page, total="€0")  # held for three seconds
    page.mouse.up()
    for name in ("player", "tie"):
        spot(page, name).click()
    sums(page, total="€2")
    page.keyboard.down("Delete")
    sums(page, total="€0")
    page.keyboard.up("Delete")
    sums(page, total="€0")
    balance(page, before)
    table.say("CLOSE; VOID supervisor")


def test_a_bet_that_the_stream_tells_before_its_answer_counts_once(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat")
    table.open()
    before = minor(page, "balance")
    answers: list[tuple[Route, APIResponse]] = []
    page.route("**/bets", lambda route: answers.append((route, route.fetch())), times=1)
    spot(page, "player").click()
    sums(page, total="€1")
    balance(page, before - 100)  # the stream has said so: no answer came
    page.keyboard.press("Space")  # DOUBLE waits for the answer, and doubles what lies there
    [(route, response)] = answers
    route.fulfill(response=response)
    balance(page, before - 200)
    sums(page, total="€2")
    table.say("CLOSE; VOID supervisor")
    expect(page.locator(".won.back")).to_have_text("€2 returned")


@pytest.mark.parametrize("name", FIRST)
def test_the_limit_is_said_and_kept(floor: Rooms, page: Page, name: str) -> None:
    table = floor.sit(page, name)
    table.open()
    one = FIRST[name][0]
    page.locator('.chip[data-chip="10000"]').click()
    spot(page, one).click()
    lies(page, one, 10_000)
    spot(page, one).click()
    expect(spot(page, one).get_by_role("alert")).to_have_text("Maximum bet: €100")
    lies(page, one, 10_000)
    expect(page.get_by_role("button", name="Double")).to_have_attribute("aria-disabled", "true")
    table.say("CLOSE; VOID supervisor")


def test_a_click_adds_up_to_the_limit(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat")
    table.open()
    page.locator('.chip[data-chip="200"]').click()
    for stake in (200, 400, 500):
        spot(page, "tie").click()
        lies(page, "tie", stake)
    expect(spot(page, "tie").get_by_role("alert")).to_have_text("Maximum bet: €5")
    table.say("CLOSE; VOID supervisor")


def test_only_chips_that_the_balance_covers(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat", "dan")
    table.open()
    chip = page.locator(".chip")
    sums(page, balance="€7")
    expect(chip.nth(2)).to_be_enabled()
    expect(chip.nth(3)).to_be_disabled()
    chip.nth(2).click()
    spot(page, "player").click()
    sums(page, balance="€2", total="€5")
    expect(chip.nth(2)).to_be_disabled()
    expect(chip.nth(1)).to_have_attribute("aria-checked", "true")
    expect(page.get_by_role("button", name="Double")).to_have_attribute("aria-disabled", "true")
    table.say("CLOSE; VOID supervisor")


def test_baccarat_to_the_win_and_the_history(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "baccarat")
    round_ = table.open()
    before = minor(page, "balance")
    page.locator('.chip[data-chip="500"]').click()
    spot(page, "player").click()
    lies(page, "player", 500)
    table.say("CLOSE; 9S 2H TS 5D")
    expect(page.locator(".won.win")).to_have_text("You win €5 · €10 paid")
    expect(spot(page, "player")).to_have_class(re.compile("lit"))
    balance(page, before + 500)
    page.get_by_role("button", name="History").click()
    page.locator(f'tr[data-round="{round_}"] button').click()
    panel = page.locator("dialog[open]")
    expect(panel).to_contain_text(round_)
    expect(panel.get_by_role("img", name="nine of spades")).to_have_count(1)
    expect(panel.get_by_role("row", name="Player")).to_contain_text("1:1")
    expect(panel).to_contain_text("Paid by pay table baccarat")
    expect(panel.locator(".ledger tr")).to_have_count(2)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    table.say("SETTLED")


def test_live_prices_are_bought_as_they_stand(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "live")
    table.open()
    worth = spot(page, "tie").locator(".spot-worth")
    expect(worth).to_have_text(re.compile(r"^[1-9][0-9]*\.[0-9]+$"))  # none before the offer has come
    price = worth.inner_text()
    spot(page, "tie").click()
    expect(spot(page, "tie").locator(".bought")).to_have_text(f"@ {price}")
    taken(page)
    table.say("CLOSE; 8S 3H 9C 4D")
    paid = round(float(price) * 100)
    expect(page.locator(".won.win")).to_have_attribute("data-returned", str(paid))
    table.say("SETTLED")


def test_a_spot_that_the_cards_have_decided_takes_no_bet_and_says_so(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "streets")
    first = table.open()
    expect(spot(page, "player_pair")).to_have_class(re.compile(r"\bopen\b"))
    table.say("CLOSE; 2S 3H 3C 2D")
    assert table.wait("betting") == first, "bets are open once more, on the third cards"
    expect(spot(page, "player")).to_have_class(re.compile(r"\bopen\b"))
    decided = spot(page, "player_pair")
    expect(decided.locator(".spot-worth")).to_have_text("–")
    expect(decided).to_have_attribute("aria-disabled", "true")
    decided.click(force=True)
    expect(decided.locator(".spot-message")).to_have_text("This spot takes no bet now")
    expect(page.locator(".bet")).to_have_count(0)
    table.say("CLOSE; 9S; SETTLED")


def test_two_card_action_and_two_cards_high_to_the_end(floor: Rooms, page: Page) -> None:
    table = floor.sit(page, "2-card-action")
    table.open()
    spot(page, "any_pair").click()
    lies(page, "any_pair", 100)
    table.say("CLOSE; 8S 8H")
    expect(page.locator(".won.win")).to_have_text("You win €11 · €12 paid")
    table.say("SETTLED")
    page.get_by_role("button", name="Lobby").click()
    page.locator('dialog li[data-table="north/two-cards-high"] .go').click()
    table = floor.tables["two-cards-high"]
    table.open()
    spot(page, "seat5.main").click()
    lies(page, "seat5.main", 100)
    table.say("CLOSE; " + " ".join(rank + suit for rank in "A23456789T" for suit in "SHDC"))
    table.wait("dealing")
    table.say("REVEAL")
    expect(page.locator(".won.win")).to_have_count(1)
    table.say("SETTLED")


TOO_SMALL = """[...document.querySelectorAll("button")]
    .filter((one) => one.offsetParent)
    .map((one) => one.getBoundingClientRect())
    .filter(({ width, height }) => width < 24 || height < 24).length"""
"""How many buttons a finger does not hit."""
DEALT = "AS AD 2C 7D KS QD AH 9C 4D"


def test_play_fold_and_auto_folded(floor: Rooms, page: Page) -> None:
    """The decision window, the combinations, the strength, the statistics, and who lets the time run out."""
    table = floor.sit(page, "casino-holdem")
    table.open()
    page.locator('.chip[data-chip="100"]').click()
    for name in ("hand1.ante", "hand1.bonus", "hand2.ante"):
        spot(page, name).click()
        lies(page, name, 100)
    table.say(f"CLOSE; {DEALT}")
    window = page.get_by_role("group", name="Make your decision")
    one = window.get_by_role("group", name="Hand 1")
    expect(one.locator(".combination")).to_have_text("Three of a kind")
    expect(window.get_by_role("group", name="Hand 2").locator(".combination")).to_have_text("High card")
    expect(one.locator(".chance")).to_contain_text("97.5%")
    two = window.get_by_role("group", name="Hand 2").get_by_role("button", name="Play")
    there = two.bounding_box()
    one.get_by_role("button", name="Play").click()
    expect(spot(page, "hand1.play")).to_have_attribute("data-stake", "200")
    expect(one.get_by_role("button", name="Play")).to_have_attribute("aria-pressed", "true")
    expect(one.get_by_role("button", name="Fold")).to_be_disabled()
    comes(two.bounding_box, there)  # else a second press would play a hand that nobody meant
    expect(page.locator('[data-decisions="hand1"] [data-decided="play"]')).to_contain_text("100%")
    table.say("DECIDED")
    expect(page.locator(".phase")).to_have_text("Auto folded")
    table.say("3H 5S")
    table.say("REVEAL")
    expect(spot(page, "hand2.ante")).to_have_class(re.compile("lost"))
    expect(spot(page, "hand2.ante")).not_to_have_class(re.compile("lit"))  # its cards beat the dealer's
    expect(page.locator(".won.win")).to_have_count(1)
    table.say("SETTLED")
    table.open()
    repeat(page)  # without what the decision raised
    sums(page, total="€3")
    table.say(f"CLOSE; {DEALT}")
    for hand in ("Hand 1", "Hand 2"):
        window.get_by_role("group", name=hand).get_by_role("button", name="Fold").click()
    expect(window).to_have_count(0)
    table.say("DECIDED; 3H 5S")
    table.say("REVEAL")
    expect(spot(page, "hand1.ante")).to_have_class(re.compile("lost"))
    expect(spot(page, "hand1.bonus")).to_have_class(re.compile("won"))
    table.say("SETTLED")


def test_a_pause_a_goodbye_and_another_device(floor: Rooms, page: Page, browser: Browser) -> None:
    table = floor.sit(page, "baccarat")
    table.open()
    spot(page, "player").click()
    sums(page, total="€1")
    table.say("HOLD")
    expect(page.get_by_role("alert")).to_contain_text("The round is paused")
    expect(spot(page, "player")).to_have_attribute("aria-disabled", "true")
    table.say("CLEAR continue")
    expect(page.get_by_role("alert")).to_contain_text("The round continues")
    elsewhere = visitor(browser)
    floor.sit(elsewhere, "baccarat")
    expect(page.get_by_role("alert")).to_contain_text("another device")
    sums(elsewhere, total="€1")
    page.get_by_role("button", name="Play here").click()
    sums(page, total="€1")
    elsewhere.close()
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("your bets were returned")
    sums(page, total="€0")
    table.say("CLOSE; VOID supervisor")


@pytest.mark.parametrize("name", FIRST)
def test_axe_finds_nothing_and_nothing_hangs_over(floor: Rooms, browser: Browser, name: str) -> None:
    page = visitor(browser, color_scheme="dark", reduced_motion="reduce")

    def expect_no_violation() -> None:
        assert violations(page) == {}
        page.emulate_media(color_scheme="light")
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        assert violations(page, CONTRAST) == {}
        page.emulate_media(color_scheme="dark")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    table = floor.sit(page, name)
    table.open()
    spot(page, FIRST[name][0]).click()
    sums(page, total="€1")
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        comes(lambda: page.evaluate("document.documentElement.scrollWidth <= innerWidth"), True)
        comes(lambda: page.evaluate(TOO_SMALL), 0)
        if width in (320, 1280):  # the same colours and roles in each
            expect_no_violation()
    page.get_by_role("button", name="History").click()
    page.locator("dialog tbody tr").first.wait_for()
    expect_no_violation()
    page.close()
    table.say("CLOSE; VOID supervisor")
