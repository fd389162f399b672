"""What stands out on the roads of baccarat, and what is counted beside them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.board.boxes import SIZES, resize
from tests.board.contrast import ALL_THEMES, WEAR
from tests.board.played import PlayedTable
from tests.board.reading import expect_phase
from tests.board.roads import expect_roads, laid
from tests.board.serving import BoardProcess
from tests.board.test_heard import LISTEN
from tests.harness.process import comes

Lay = Callable[..., PlayedTable]

PLAYER, BANKER, TIE = ("9S", "7H", "KD", "QS"), ("7H", "9S", "QS", "KD"), ("9S", "9H", "KD", "QS")
NEWEST = """() => Object.fromEntries([...document.querySelectorAll('.road')].map((road) => {
    const framed = [...road.querySelectorAll('.frame')].map((frame) => frame.parentElement.dataset.at);
    return [road.classList[1], framed];
}))"""
"""Road -> where a frame stands."""
DOTS = """() => [...document.querySelectorAll('.big-road .mark')].map((mark) =>
    [...mark.querySelectorAll('.pair')].map((dot) =>
        [dot.classList[1], dot.cx.baseVal.value < 5, dot.cy.baseVal.value < 5]))"""
"""Of each mark of the big road its dots, and whether each is left and above."""
LIGHTER = """
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const lighter = (one, other) => (light(one) + 0.05) / (light(other) + 0.05);"""
"""How much lighter one colour is than another."""
FRAME = f"""(frame) => {{{LIGHTER}
    const style = getComputedStyle(frame);
    const paper = getComputedStyle(document.querySelector('.road .paper')).fill;
    const contrast = lighter(paper, style.stroke);
    const wide = parseFloat(style.strokeWidth) >= 2;
    return [contrast > 7, wide, style.fill, style.animationName, style.transitionDuration];
}}"""
"""Whether it is seen by its lightness alone; nothing fills it, nothing moves."""

NATURALS = f"""() => {{{LIGHTER}
    const dots = [...document.querySelectorAll('.big-road .natural')];
    const pairs = [...document.querySelectorAll('.big-road .pair')].map((pair) => getComputedStyle(pair));
    return dots.map((dot) => [
        dot.parentElement.dataset.at, dot.cx.baseVal.value > 5, dot.cy.baseVal.value < 5,
        lighter(getComputedStyle(dot).fill, getComputedStyle(dot).stroke) > 3,
        pairs.length > 0 && pairs.every((pair) => lighter(pair.stroke, pair.fill) > 3 &&
            lighter(getComputedStyle(dot).fill, pair.fill) > 3),
    ]);
}}"""
"""Of each natural on the big road where its entry stands; whether its dot is right, above, light with a dark
edge, and every pair's dark with a light one."""


def play(table: PlayedTable, *rounds: tuple[str, ...]) -> None:
    for cards in rounds:
        table.open()
        table.tell("bets_closed")
        table.deal(*cards)
        table.tell("round_settled")


def test_the_newest_mark_of_each_road_stands_in_a_steady_frame(page: Page, lay: Lay) -> None:
    """After a tie it is the entry of the big road that the tie is counted on."""
    table = lay("r1", "baccarat")
    nothing: dict[str, list[str]] = {
        road: [] for road in ("bead", "big-road", "big-eye-boy", "small-road", "cockroach-pig")
    }
    comes(lambda: page.evaluate(NEWEST), nothing)
    play(table, BANKER, PLAYER)
    comes(lambda: page.evaluate(NEWEST), {**nothing, "bead": ["0,1"], "big-road": ["1,0"]})
    play(table, PLAYER)
    comes(
        lambda: page.evaluate(NEWEST),
        {**nothing, "bead": ["0,2"], "big-road": ["1,1"], "big-eye-boy": ["0,0"]},
    )
    play(table, TIE)
    comes(
        lambda: page.evaluate(NEWEST),
        {**nothing, "bead": ["0,3"], "big-road": ["1,1"], "big-eye-boy": ["0,0"]},
    )
    for theme in ALL_THEMES:
        page.evaluate(WEAR, theme)
        frames = page.locator(".road .frame")
        comes(
            lambda frames=frames: frames.evaluate_all(f"frames => frames.map({FRAME})"),
            [[True, True, "none", "none", "0s"]] * 3,
        )


def test_while_bets_are_open_the_round_before_stands_in_words_and_figures(page: Page, lay: Lay) -> None:
    """Not beside a result of its own, not from another shoe, and said to nobody who heard it when it came."""
    table = lay("r5", "baccarat")
    before = page.locator(".round-before")
    table.open()
    expect_phase(page, "betting")
    expect(before).to_have_count(0)
    table.close()
    page.evaluate(LISTEN)
    play(table, BANKER)
    table.open()
    expect(before).to_have_text(re.compile(r"^Last Banker 7:9\s+7Q\|9K$"))
    comes(lambda: page.locator("main").aria_snapshot().count("7:9"), 1)
    comes(lambda: [one for one in page.evaluate("heard") if "Last" in one], [])
    table.tell("bets_closed")
    expect(before).to_have_count(0)
    table.deal(*TIE)
    expect_phase(page, "result")
    expect(before).to_have_count(0)
    table.tell("round_settled")
    table.open()
    page.goto(f"{page.url}?beside=zh-TW")
    expect(before).to_have_text(re.compile(r"^Last 上局 Tie 和 9:9"))
    table.close()
    table.open()
    expect(before).to_have_text("Last 上局 Void 作廢")
    table.close()
    table.shoe()
    table.open()
    expect_phase(page, "betting")
    expect(before).to_have_count(0)


def test_the_pairs_of_a_win_have_their_dots_on_the_big_road(page: Page, lay: Lay) -> None:
    """In the corners of the bead plate; those of a tie stand there alone."""
    table = lay("r2", "baccarat")
    both = ("4C", "9D", "4H", "9S")
    play(table, ("KC", "4D", "7D", "4S"), both, PLAYER, ("4D", "KC", "4S", "7D"), ("4D", "3H", "4S", "3C"))
    banker_pair, player_pair = ["banker-pair", True, True], ["player-pair", False, False]
    comes(lambda: page.evaluate(DOTS), [[banker_pair], [], [player_pair], [banker_pair, player_pair]])
    expect(page.locator(".bead .mark").nth(1).locator(".pair")).to_have_count(2)


def test_a_win_by_a_natural_has_its_dot_on_the_big_road(page: Page, lay: Lay) -> None:
    """Where no pair's stands, and different without colours too; that of a tie is on the bead plate alone."""
    table = lay("r6", "baccarat")
    play(table, ("KC", "4D", "7D", "4S"), TIE, ("2H", "3C", "TS", "4D", "9C"))
    comes(lambda: page.evaluate(NATURALS), [["0,0", True, True, True, True]])
    expect(page.locator(".bead .natural")).to_have_count(2)


@pytest.mark.parametrize(("language", "words"), [("en", "Rounds"), ("zh", "局数"), ("zh-TW", "局數")])
def test_the_rounds_of_the_shoe_stand_beside_the_percentages(
    page: Page, lay: Lay, language: str, words: str
) -> None:
    """Ties are among them, a void round is not."""
    table = lay(f"r3-{language}", "baccarat")
    play(table, BANKER, TIE, PLAYER)
    table.open()
    table.close()
    page.goto(f"{page.url}?lang={language}")
    expect_phase(page, "idle")
    expect(page.locator(".count.rounds dt")).to_have_text(words)
    expect(page.locator(".count.rounds dd")).to_have_text("3")
    expect(page.locator(".count.banker dd")).to_have_text("1 33%")


def test_the_longest_run_of_the_shoe_stands_beside_the_running_one(page: Page, lay: Lay) -> None:
    """Ties are left out of both; of two that are equally long the first is named."""
    table = lay("r4", "baccarat")
    streak = page.locator(".count.streak dd")
    expect(streak).to_have_text("–")
    play(table, BANKER, TIE, BANKER)
    expect(streak).to_have_text("B ×2 max B ×2")
    play(table, PLAYER, PLAYER)
    expect(streak).to_have_text("P ×2 max B ×2")
    play(table, PLAYER, BANKER)
    expect(streak).to_have_text("B ×1 max P ×3")
    for language, words in (("zh", "庄 ×1 最长 闲 ×3"), ("zh-TW", "莊 ×1 最長 閒 ×3")):
        page.goto(f"{page.url.partition('?')[0]}?lang={language}")
        expect(streak).to_have_text(words)


def test_the_whole_shoe_stands_on_the_board_with_a_column_to_spare(page: Page, lay: Lay) -> None:
    """In every shape of a screen the next column is free. Bead plate and, on a wall, big road are whole; what
    is not has no cell that is too small to be read.
    """
    table = lay("g2", "baccarat")
    table.rounds(71)
    scoreboard = table.display["scoreboard"]
    for size in SIZES:
        resize(page, size)
        expect(page.locator(".road.bead .mark")).to_have_count(len(scoreboard["bead"]))  # type: ignore[index]
        expect_roads(page, scoreboard)  # type: ignore[arg-type]
        comes(lambda: page.evaluate(FULL), [])
        comes(lambda: page.evaluate(SMALL), [])
        if SIZES[size][0] > 700:
            expect(page.locator(".road.big-road")).to_have_attribute("data-first", "0")
    beads = scoreboard["bead"]  # type: ignore[index]
    counted = [
        str(len(beads)),
        *(str(sum(one["winner"] == side for one in beads)) for side in ("banker", "player", "tie")),
        *(str(sum(one[key] for one in beads)) for key in ("banker_pair", "player_pair", "natural")),
    ]
    comes(lambda: page.locator(".counts dd b").all_inner_texts()[:7], counted)
    share = 100 * sum(one["winner"] == "banker" for one in beads) / len(beads)
    expect(page.locator(".count.banker small")).to_have_text(re.compile(rf"{share:.0f}%"))


FULL = """() => [...document.querySelectorAll('.road')].filter((road) => {
    const marks = [...road.querySelectorAll('.mark')];
    const last = Math.max(-1, ...marks.map((mark) => parseInt(mark.dataset.at)));
    return Number(road.dataset.first) + Number(road.dataset.columns) <= last + 1;
}).map((road) => [road.className, innerWidth])"""
"""Roads without a column to spare."""
SMALL = """() => [...document.querySelectorAll('.road svg')].map((road) => {
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const inHand = innerWidth <= 700 || innerHeight <= 500;
    const frame = road.querySelector('.frame');
    const scale = road.getScreenCTM().a;
    const stroke = frame ? parseFloat(getComputedStyle(frame).strokeWidth) : 0;
    const disc = frame?.parentElement.querySelector('.disc');  // where it leaves the cell's edge free
    const free = disc ? 5 - disc.r.baseVal.value : 0;
    const around = frame ? (free - frame.x.baseVal.value) * scale - stroke / 2 : 0;
    return [road.parentElement.className, 10 * scale / (inHand ? 9 : rem / 2), around];
}).filter(([, size, around]) => size < 0.98 || around < -0.1)"""
"""Roads whose cells are less than nine pixels in the hand, an eightieth of the height on a wall; or whose
frame lies on the mark in it."""


LAY_OUT = """async (roads) => {
    const { laidOut } = await import("/static/app/roads.js");
    return roads.map((colours) => laidOut(colours).map((mark) => [mark.kind, mark.column, mark.row]));
}"""


def test_random_derived_roads_are_laid_out_as_a_big_road_is(page: Page, board: BoardProcess) -> None:
    chance = random.Random(6)
    roads = []
    for _ in range(300):
        streaks = [chance.choice((1, 2, 3, 5, 6, 7, 9, 14)) for _ in range(chance.randint(0, 16))]
        roads.append([("red", "blue")[at % 2] for at, long in enumerate(streaks) for _ in range(long)])
    page.goto(board.url)
    places = [
        [[colour, entry.column, entry.row] for colour, entry in zip(colours, laid(colours), strict=True)]
        for colours in roads
    ]
    comes(lambda: page.evaluate(LAY_OUT, roads), places)
