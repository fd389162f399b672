"""What stands out on the roads of baccarat, and what is counted beside them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.board.contrast import ALL_THEMES, WEAR
from tests.board.played import PlayedTable
from tests.board.reading import expect_phase
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
FRAME = """(frame) => {
    const light = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).map((one) => one / 255)
            .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const style = getComputedStyle(frame);
    const paper = getComputedStyle(document.querySelector('.road .paper')).fill;
    const contrast = (light(paper) + 0.05) / (light(style.stroke) + 0.05);
    const wide = parseFloat(style.strokeWidth) >= 2;
    return [contrast > 7, wide, style.fill, style.animationName, style.transitionDuration];
}"""
"""Whether it is seen by its lightness alone; nothing fills it, nothing moves."""


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


def test_the_pairs_of_a_win_have_their_dots_on_the_big_road(page: Page, lay: Lay) -> None:
    """In the corners of the bead plate; those of a tie stand there alone."""
    table = lay("r2", "baccarat")
    both = ("4C", "9D", "4H", "9S")
    play(table, ("KC", "4D", "7D", "4S"), both, PLAYER, ("4D", "KC", "4S", "7D"), ("4D", "3H", "4S", "3C"))
    banker_pair, player_pair = ["banker-pair", True, True], ["player-pair", False, False]
    comes(lambda: page.evaluate(DOTS), [[banker_pair], [], [player_pair], [banker_pair, player_pair]])
    expect(page.locator(".bead .mark").nth(1).locator(".pair")).to_have_count(2)


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
