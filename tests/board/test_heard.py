"""What a screen reader says of a round: what becomes so, and not every second of the clock."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.board.played import PlayedTable
from tests.board.reading import expect_phase
from tests.harness.process import comes

LISTEN = """() => {
    window.heard = [];
    const politeness = (box) => {
        const live = box.closest('[aria-live], [role=status], [role=alert], [role=timer]');
        if (live === null) return 'off';
        const role = { status: 'polite', alert: 'assertive', timer: 'off' }[live.role];
        return live.getAttribute('aria-live') ?? role;
    };
    new MutationObserver((changes) => {
        for (const { target, addedNodes, type } of changes)
            for (const node of type === 'characterData' ? [target] : addedNodes) {
                const box = node.nodeType === 3 ? node.parentElement : node;
                const text = node.textContent.trim();
                if (text && box?.isConnected && politeness(box) !== 'off') window.heard.push(text);
            }
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


def test_phases_result_and_notice_are_said_and_the_running_clock_is_not(
    page: Page, lay: Callable[..., PlayedTable]
) -> None:
    table = lay("heard", "baccarat")
    expect_phase(page, "idle")
    page.evaluate(LISTEN)
    table.open()
    clock = page.locator(".countdown")
    expect(clock).not_to_have_text("")
    first = clock.inner_text()
    expect(clock).not_to_have_text(first)
    table.tell("bets_closed")
    expect_phase(page, "dealing")  # what passes between two pictures is not said
    table.deal("KC", "8D", "7D", "KS")
    expect_phase(page, "result")

    def said(words: str) -> bool:
        return any(words in one for one in page.evaluate("heard"))

    for words in ("Place your bets", "No more bets", "Banker wins", "0.95:1"):
        comes(lambda words=words: said(words), True)
    comes(lambda: [one for one in page.evaluate("heard") if one.isdigit()], [])
    table.tell("hold_requested", by="dealer")
    comes(lambda: said("The dealer asked for a supervisor"), True)


def test_table_hands_and_roads_are_read_in_words(page: Page, lay: Callable[..., PlayedTable]) -> None:
    table = lay("read", "baccarat")
    table.open()
    table.tell("bets_closed")
    table.deal("KC", "8D", "7D", "KS")
    expect(page.locator("body")).to_match_aria_snapshot(
        """
        - banner:
          - heading "Baccarat" [level=1]
          - paragraph: Table read north
        - main:
          - region "State":
            - 'img "Red light: no bets"'
            - status: Result
            - paragraph: Banker wins Natural
          - region "Cards":
            - region "Player":
              - heading "Player 7" [level=2]
              - img "king of clubs"
              - img "seven of diamonds"
            - region "Banker":
              - heading "Banker 8" [level=2]
              - img "eight of diamonds"
              - img "king of spades"
          - region "Baccarat":
            - figure "Bead plate":
              - 'img "Bead plate: 1 in all, the last: Banker"'
        """
    )
