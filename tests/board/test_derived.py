"""How the page lays out a derived road, against the big road of our own code with red and blue for sides."""

from __future__ import annotations

import random

from playwright.sync_api import Page

from controller.roads import scoreboard
from controller.vocabulary.scoreboard import Bead, Winner
from tests.board.serving import BoardProcess

SIDES: dict[str, Winner] = {"red": "banker", "blue": "player"}
_LAY_OUT = """async (roads) => {
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
    drawn = page.evaluate(_LAY_OUT, roads)
    for colours, marks in zip(roads, drawn, strict=True):
        big = scoreboard([Bead(winner=SIDES[colour]) for colour in colours]).big_road
        assert marks == [
            [colour, entry.column, entry.row] for colour, entry in zip(colours, big, strict=True)
        ]
