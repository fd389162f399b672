"""The dealer's page: totals of what lies open, cards as large as there is room, alerts that stay in sight."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.board.boxes import SIZES, resize
from tests.board.pages import show
from tests.board.played import PlayedTable, now
from tests.board.scenes import Laid
from tests.harness.process import comes, until

Lay = Callable[..., PlayedTable]


def totals(page: Page) -> dict[str, str]:
    """What the page says that each hand makes."""
    read: dict[str, str] = page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('[data-tally]')]
            .map((said) => [said.dataset.tally, said.textContent]))"""
    )
    return read


def test_totals_are_of_the_cards_that_lie_open(page: Page, lay: Lay) -> None:
    table = lay("d1", "baccarat", "squeeze = true", at="dealer")
    table.open()
    table.tell("bets_closed")
    table.deal("2H", "3C", "TS", "4D")
    comes(lambda: totals(page), {"player": "", "banker": ""})
    table.tell("cards_revealed", hand="player")
    comes(lambda: totals(page), {"player": "2", "banker": ""})
    table.tell("cards_revealed", hand="banker")
    comes(lambda: totals(page), {"player": "2", "banker": "7"})
    table.deal("5H")
    comes(lambda: totals(page), {"player": "2", "banker": "7"})  # the third card lies face down
    table.tell("cards_revealed")
    comes(lambda: totals(page), {"player": "7", "banker": "7"})


def test_holdem_says_what_each_hand_makes_and_nothing_of_a_hidden_one(page: Page, floor: Laid) -> None:
    show(page, floor, "dealer/decision")
    made = {"hand1": "Two pair", "hand2": "Two pair", "flop": "", "dealer": ""}
    comes(lambda: totals(page), made)


def test_the_two_cards_of_a_hand_that_count_are_framed(page: Page, floor: Laid) -> None:
    show(page, floor, "dealer/gaps")
    result: dict[str, Any] = json.loads(json.dumps(floor.tables["gaps"].display["result"]))
    told = result["outcome"]
    assert any(one["qualifies"] for one in told.values())
    for name, one in told.items():
        lies = page.locator(f"[data-hand={name}]")
        expect(lies.locator(".card.plays")).to_have_count(2 if one["qualifies"] else 0)
        expect(lies.locator(".card.rests")).to_have_count(3 if one["qualifies"] else 5)


@pytest.mark.parametrize(
    ("scene", "words"),
    [
        ("showdown", "Pay the winning bets"),
        ("result", "Take the losing bets, then pay the winning ones"),
    ],
)
def test_no_losing_bets_are_taken_where_there_are_none(
    page: Page, floor: Laid, scene: str, words: str
) -> None:
    show(page, floor, f"dealer/{scene}")
    expect(page.locator(".act-words")).to_have_text(words)


def test_a_free_hand_sends_nobody_to_bets_that_nobody_has(page: Page, lay: Lay) -> None:
    table = lay("d4", "baccarat", "[shoe]\nfree_hand = true", at="dealer")
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    expect(page.locator(".act-words")).to_have_text("Free hand: no bets to take or pay")
    expect(page.locator(".outcome")).to_contain_text("Banker wins")
    expect(page.locator(".settling")).to_have_count(0)
    table.deal("2C")
    says = page.locator("[data-choice=void] > span")
    expect(says).to_have_text("The round is annulled; nobody has a bet")
    table.tell("hold_cleared", choice="void", by="S-1")
    expect(page.locator(".notice.void > span")).to_have_text("A wrong number of cards was dealt")


def test_what_bets_pay_and_may_be_is_said_until_cards_lie(page: Page, lay: Lay) -> None:
    limits = '[limits]\ncurrency = "EUR"\ntable = { min = 500, max = 500000 }'
    table = lay("d6", "baccarat", limits, at="dealer")
    table.open()
    told = page.locator(".price-list")
    expect(told.locator("[data-pays=tie] dd")).to_have_text("8:1")
    expect(told.locator(".limits")).to_have_text("Bet limits€5 – €5,000")
    expect(told.locator(".cards-left")).to_have_text("416 of 416 cards left")
    table.tell("bets_closed")
    expect(told).to_have_count(1)
    table.deal("KC")
    expect(told).to_have_count(0)


def test_in_a_free_hand_nobody_is_asked_to_play_or_fold(page: Page, lay: Lay) -> None:
    table = lay("d5", "casino-holdem", "[shoe]\nfree_hand = true", at="dealer")
    table.shoe()
    table.tell("bets_closed")
    table.draw(9)
    expect(page.locator(".act-words")).to_have_text("Free hand: nothing to decide")
    expect(page.locator(".state .phase")).to_have_text("Free hand: no bets")


def test_the_page_says_what_is_awaited(page: Page, floor: Laid) -> None:
    show(page, floor, "dealer/waits_for_book")
    words = "Bets of settlement are not closed yet: draw no card; this page says when"
    expect(page.locator(".act-awaits")).to_have_text(words)


@pytest.mark.parametrize(
    ("close", "words"),
    [
        ("button", "Key: CLOSE when bets are done"),
        ("timer", "The clock closes bets; CLOSE does so sooner"),
        ("first_card", "The first card closes bets: no key needed"),
    ],
)
def test_no_key_is_asked_for_where_bets_close_without_one(
    page: Page, lay: Lay, close: str, words: str
) -> None:
    table = lay(f"d3-{close}", "baccarat", f'[round]\nclose = "{close}"', at="dealer")
    table.open()
    expect(page.locator(".act-key")).to_have_text(words)


@pytest.mark.parametrize("at", ["table", "dealer"])
def test_a_page_that_is_opened_late_begins_where_the_time_is(page: Page, lay: Lay, at: str) -> None:
    table = lay(f"d2-{at}", "baccarat", at=at)
    half = {**table.tell("bets_opened"), "countdown_end": now(400), "countdown_s": 800}
    table.publisher.retain(f"{table.base}/display", json.dumps(half).encode())
    part = page.locator(".drain")
    width = "(bar) => parseFloat(bar.style.getPropertyValue('--part'))"
    until(lambda: 40 < part.evaluate(width) <= 50, lambda: part.evaluate(width))


LARGEST = """() => {
    const card = document.querySelector('.dealt .card').getBoundingClientRect();
    const words = [...document.querySelectorAll('.act-words, .state .phase')];
    const tallest = Math.max(...words.map((one) => parseFloat(getComputedStyle(one).fontSize)));
    return [card.height / tallest > 1.5, card.height / innerHeight > 0.08];
}"""
"""Whether a card is the largest thing that is to be read, and large enough on its screen."""


@pytest.mark.parametrize("scene", ["third_card", "squeeze", "decision"])
def test_while_cards_are_dealt_they_are_the_largest_thing(page: Page, floor: Laid, scene: str) -> None:
    show(page, floor, f"dealer/{scene}")
    for size in SIZES:
        resize(page, size)
        comes(lambda: page.evaluate(LARGEST), [True, True])


IN_SIGHT = """() => {
    const said = document.querySelector('[data-alert]');
    const at = said.getBoundingClientRect();
    const lies = document.elementFromPoint(at.x + at.width / 2, at.y + at.height / 2);
    return at.top >= 0 && at.bottom <= innerHeight + 1 && at.right <= innerWidth && said.contains(lies);
}"""


@pytest.mark.parametrize("scene", ["seven_seats", "extra_card", "bets_open"])
def test_an_alert_stays_on_the_screen(page: Page, floor: Laid, scene: str) -> None:
    """Also where the page is longer than the screen, wherever it is scrolled to."""
    table = floor.tables[scene]
    table.alert("a1", "the shuffler counted 415 cards instead of 416: load another shoe")
    show(page, floor, f"dealer/{scene}")
    for size in SIZES:
        resize(page, size)
        for to in ("0", "document.body.scrollHeight"):
            page.evaluate(f"scrollTo(0, {to})")
            until(lambda: page.evaluate(IN_SIGHT), lambda size=size: f"{scene} {size}")
    table.alert("a1", None)


def test_a_closed_table_says_so_and_keeps_what_its_last_round_pays(page: Page, floor: Laid) -> None:
    show(page, floor, "dealer/closed")
    expect(page.locator(".act-words")).to_have_text("The table is closed: a supervisor opens it")
    # It may have been closed while the round ran, and its bets are not paid yet.
    expect(page.locator(".settling")).to_be_visible()
