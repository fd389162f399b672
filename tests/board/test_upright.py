"""The dealer's page on a tall screen, and where the hands stand on any."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.board.boxes import resize
from tests.board.pages import show
from tests.board.scenes import Laid
from tests.harness.process import comes

ROOM: list[tuple[list[int], list[float], int]] = [
    ([3, 3], [48, 20, 2.5], 6),  # wide: both hands beside one another
    ([3, 3], [38, 45, 3.4], 3),  # tall: one below the other
    ([2, 2], [38, 26, 2.5], 4),
    ([2, 2, 2, 3], [38, 43, 3.4], 4),  # three rows: neither four narrow columns nor four low rows
    ([5] * 8, [38, 12, 2.5], 20),
    ([4], [38, 40, 2.5], 4),
    ([2, 2, 2, 3, 1, 1], [78, 20, 2.5], 11),  # hold'em: two rows are worth it only for larger cards
    ([2, 2, 2, 3, 1, 1], [78, 24, 2.5], 6),  # and no river stands alone
]
"""Cards of each hand; width, height and a heading's height in rem; tracks in which a card is largest."""


def test_hands_stand_where_their_cards_are_largest(page: Page, floor: Laid) -> None:
    show(page, floor, "dealer/third_card")
    counted = page.evaluate_handle("async () => (await import('/static/app/arrange.js')).tracksFor")
    asked = [[spans, room] for spans, room, _ in ROOM]
    comes(
        lambda: counted.evaluate("(tracksFor, asked) => asked.map((one) => tracksFor(...one))", asked),
        [tracks for _, _, tracks in ROOM],
    )


WIDE = "() => document.querySelector('.dealt .card').getBoundingClientRect().width / innerWidth"


@pytest.mark.parametrize("size", ["upright", "tablet"])
def test_an_upright_page_uses_its_room(page: Page, floor: Laid, size: str) -> None:
    """A card is wider than a sixth of the screen; of open bets the clock is seen from afar."""
    for scene in ("result", "layout_c", "extra_card", "third_card", "void_after_result", "decision"):
        show(page, floor, f"dealer/{scene}")
        resize(page, size)
        comes(lambda: page.evaluate(WIDE) > 0.16, True)
    show(page, floor, "dealer/bets_open")
    clock = "() => document.querySelector('.state').getBoundingClientRect().height / innerHeight"
    comes(lambda: page.evaluate(clock) > 0.3, True)
