"""What a page owes its languages: figures that keep their order in a language that is written from the right,
two languages that tell the same, Chinese as a table says it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.sync_api import Browser, Page, expect

from controller.board.web import read_words
from tests.board.boxes import SETTLED, resize
from tests.board.pages import LANGUAGES, opened, show
from tests.board.played import PlayedTable
from tests.board.scenes import Laid, four_cards
from tests.harness.process import comes

FROM_THE_RIGHT = (
    "/", "bets_open", "live_chances", "house_spots", "result", "foreign_card", "layout_a", "layout_c",
    "decision", "showdown", "seven_seats", "lost", "dealer/result", "dealer/layout_c", "dealer/extra_card",
)  # fmt: skip
"""One page of each kind of figure."""
OUT_OF_ORDER = """() => {
    const figure = '0-9AKQJ€×♠♥♦♣';
    // Signs that isolate have no width and no place.
    const run = new RegExp(`[${figure}][${figure}.,:%–· \\u2002\\u2066-\\u2069]*[${figure}%]`, 'gu');
    const found = [];
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text; text = texts.nextNode()) {
        if (text.parentElement.closest('svg')) continue;
        for (const { 0: said, index } of text.data.matchAll(run)) {
            if (!/[0-9]/.test(said)) continue;
            const places = [...said].map((letter, at) => {
                const range = document.createRange();
                range.setStart(text, index + at);
                range.setEnd(text, index + at + 1);
                return [letter, range.getBoundingClientRect()];
            }).filter(([letter, at]) => at.width > 0 && !/[\\s\\u2066-\\u2069]/.test(letter));
            // A line that is broken begins anew.
            const turned = places.some(([, at], which) => which > 0 &&
                at.top < places[which - 1][1].bottom - 2 && at.left < places[which - 1][1].left);
            if (turned) found.push(said);
        }
    }
    for (const card of document.querySelectorAll('.small-card'))
        if (card.firstChild.getBoundingClientRect().left > card.lastChild.getBoundingClientRect().left)
            found.push(card.getAttribute('aria-label'));
    return found;
}"""


def test_figures_keep_their_order_in_a_language_that_is_written_from_the_right(
    browser: Browser, floor: Laid
) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    for name in FROM_THE_RIGHT:
        show(page, floor, name, LANGUAGES["from-the-right"])
        page.evaluate(SETTLED)
        comes(lambda: page.evaluate(OUT_OF_ORDER), [])
        # Between Arabic letters it is taken for a nought.
        expect(page.locator("body"), name).not_to_contain_text("·")
    page.close()


def test_the_floor_and_the_dealer_read_the_same_score(browser: Browser, floor: Laid) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    score = re.compile(r"7:8")
    show(page, floor, "dealer/result", LANGUAGES["from-the-right"])
    expect(page.locator(".score")).to_have_text(score)
    show(page, floor, "/", LANGUAGES["from-the-right"])
    expect(page.locator(f"[data-table='{floor.tables['result'].path}'] .card-last")).to_have_text(score)
    page.close()


def test_what_is_missing_in_a_language_from_the_right_is_english_from_the_left(
    browser: Browser, floor: Laid
) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    show(page, floor, "decision", LANGUAGES["from-the-right"])
    last = """(text) => {
        const range = document.createRange();
        const at = text.data.indexOf('?');
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left > text.parentElement.getBoundingClientRect().left + 20;
    }"""
    comes(lambda: page.evaluate(f"({last})(document.querySelector('.phase').firstChild)"), True)
    page.close()


def test_a_shoe_without_a_round_has_no_part_of_nothing(browser: Browser, floor: Laid) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    show(page, floor, "squeeze")
    expect(page.locator(".count.banker dd")).to_have_text("0")
    page.close()


STAYS = {
    "bets_open": (".phase",),
    "result": (".outcome-words",),
    "void_after_result": (".outcome-words", ".notice strong", ".notice > span"),
    "extra_card": (".notice strong", ".notice > span"),
    "shoe_change": (".notice strong",),
    "lost": (".phase", ".notice strong", ".notice > span"),
    "layout_c": (".outcome-words",),
    "showdown": (".outcome-words",),
    "seven_seats": (".outcome-words",),
    "dealer/lost": (".phase", ".notice strong", ".notice > span"),
}
"""Scene -> what is said in both languages on every screen."""


def test_state_result_hold_and_no_signal_stay_in_both_languages(browser: Browser, floor: Laid) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    for name, boxes in STAYS.items():
        show(page, floor, name, LANGUAGES["both"])
        for size in ("full-hd", "5:4", "upright", "phone", "small-phone"):
            resize(page, size)
            page.evaluate(SETTLED)
            for box in boxes:
                expect(page.locator(f"{box} .beside"), f"{name} {size} {box}").to_be_visible()
    page.close()


TOLD_TWICE = {
    "bets_open": "h1, .side-name, .price dt, .worth, .terms, .shoe .label, .shoe .left, .limits dt",
    "result": ".badge, .winners .spot, .count dt, .ask-name, figcaption, .tag",
    "layout_c": ".row-name, .hot-cold > :not(.of-rounds) dt, .tag",
    "decision": ".seat-name, .strength-words, .decisions [data-fit]",
    "showdown": ".verdict, .standing, .tag",
    "seven_seats": ".seat-name, .verdict, .wager",
    "dealer/result": ".act-words, .step h2, .step li",
    "dealer/extra_card": ".act-words, .dealt h2",
    "dealer/foreign_card": ".alerts li",
    "/": ".card-words",
}
"""Scene -> the names, labels and alerts on it that are told in both languages where there is room."""
ONCE = """(boxes) => boxes.map((box) => box.querySelector('.beside') ? '' : box.textContent)"""


def test_names_labels_and_alerts_are_told_in_both_languages(browser: Browser, floor: Laid) -> None:
    page = opened(browser, floor.board.url, "full-hd")

    def once(boxes: str) -> list[str]:
        # A commission is named; what may be staked has no words.
        return [text for text in page.locator(boxes).evaluate_all(ONCE) if re.search("[A-Za-z]{2}", text)]

    for name, boxes in TOLD_TWICE.items():
        show(page, floor, name, LANGUAGES["both"])
        for box in re.split(r", (?=[.h])", boxes):
            expect(page.locator(box).first, f"{name} {box}").to_be_attached()
        comes(partial(once, boxes), [])
    page.close()


def test_a_second_language_from_the_right_keeps_its_own_direction(page: Page, floor: Laid) -> None:
    show(page, floor, "bets_open", "?beside=ar")
    expect(page.locator(".phase .beside")).to_have_attribute("dir", "rtl")
    show(page, floor, "bets_open", "?lang=ar&beside=en")
    expect(page.locator(".phase .beside")).to_have_attribute("dir", "ltr")
    expect(page.locator(".count.natural dt")).to_have_text(
        re.compile("^.?Natural.?$")
    )  # English is told once


@pytest.mark.parametrize(
    ("language", "void"),
    [("zh", "发现不属于本副牌的牌，所有注码退回"), ("zh-TW", "發現不屬於本副牌的牌，所有注碼退回")],
)
def test_chinese_joins_sentences_its_own_way(browser: Browser, floor: Laid, language: str, void: str) -> None:
    page = opened(browser, floor.board.url, "full-hd")
    show(page, floor, "foreign_card", f"?lang={language}")
    expect(page.locator(".notice.void > span")).to_have_text(void)
    show(page, floor, "showdown", f"?lang={language}")
    expect(page.locator("[data-spot='hand1.ante'] .spot")).to_have_text("第一手底注")
    show(page, floor, "seven_seats", f"?lang={language}")
    expect(page.locator(".outcome-words")).to_have_text(re.compile("[家]：[点點]"))
    page.close()


HAN = "[一-鿿，：；。？！、]"
NAMES = "position|spot|wager|suit|road"
"""Places that Chinese names are filled into."""
NOT_AT_A_TABLE = {
    "zh": ("不合格", "赔付", "奖金池", "退还", "本桌", "开奖", "中奖"),
    "zh-Hant": ("不合格", "賠付", "退還", "本台", "開獎", "中獎", "物件", "程式碼", "查詢", "佈"),
}
"""Terms that mean something else there, or for which another one stands everywhere else."""


@pytest.mark.parametrize("language", NOT_AT_A_TABLE)
def test_chinese_has_its_own_marks_no_gaps_at_names_and_one_term_for_each_thing(language: str) -> None:
    texts = read_words(None)[language].items()
    assert [key for key, text in texts if re.search(f"{HAN} ?[,.:;?!()]|[,:;?!()] ?{HAN}", text)] == []
    gap = f"{HAN} \\{{({NAMES})\\}}|\\{{({NAMES})\\}} {HAN}"
    assert [key for key, text in texts if re.search(gap, text)] == []
    for term in NOT_AT_A_TABLE[language]:
        assert [key for key, text in texts if term in text] == [], term


LIMITS_TWICE = """[limits]
currency = "EUR"
table = { min = 0, max = 300000 }
spots = { tie = { min = 500, max = 50000 } }
"""
INSIDE = re.compile("[\u2066-\u2069]")


@pytest.mark.parametrize(
    ("words", "limits", "streak"),
    [
        (
            "?beside=zh-TW",
            ["Bet limits 投注限額|up to €3,000 最高 €3,000", "Tie 和|€5 – €500"],
            "Streak 連勝|P ×1 max P ×2 最長 閒 ×2",
        ),
        (
            "?lang=zh&beside=en",
            ["投注限额 Bet limits|最高 €3,000 up to €3,000", "和 Tie|€5 – €500"],
            "连胜 Streak|闲 ×1 最长 闲 ×2 max P ×2",
        ),
    ],
)
def test_limits_and_streaks_are_told_in_both_languages(
    page: Page, lay: Callable[..., PlayedTable], words: str, limits: list[str], streak: str
) -> None:
    """What takes words is told twice, what is a figure once."""
    name = f"l-{'beside' if words.startswith('?b') else 'lang'}"
    table = lay(name, "baccarat", LIMITS_TWICE)
    for winner in "PPBP":
        table.open()
        table.tell("bets_closed")
        table.deal(*four_cards(winner, 0).split())
        table.tell("round_settled")
    page.goto(f"{page.url}{words}")

    def told(boxes: str) -> list[str]:
        pairs = page.locator(boxes).evaluate_all(
            "boxes => boxes.map((box) => [...box.children].map((part) => part.textContent))"
        )
        return ["|".join(INSIDE.sub("", part) for part in pair) for pair in pairs]

    comes(partial(told, ".limits > div"), limits)
    comes(partial(told, ".count.streak"), [streak])
    for part in (".limits > div", ".count.streak"):
        expect(page.locator(f"{part} .beside").first).to_be_visible()
