"""What the demo draws on a terminal: the table as its display says it."""

from __future__ import annotations

import io

from rich.console import Console

from controller.cli.screen import Screen
from controller.outbox.counters import OutboxCounters
from controller.vocabulary.histogram import Histogram
from tests.scenarios.conversation import talk

COUNTERS = OutboxCounters(True, True, 1, 7, 6, 5, {"settlement": 4}, 3, Histogram())


def test_cards_result_last_rounds_hold_and_shoe_are_shown() -> None:
    state = talk("baccarat", "SHOE 416; OPEN; CLOSE; KC; 4D; 7D; 4S; HOLD").state
    console = Console(file=io.StringIO(), width=80, height=24)
    with Screen("the table", lambda: COUNTERS, console, bets=lambda: "bets: 3") as screen:
        screen.show(state, [])
        console.print(screen.picture())
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    for words in (
        "game 20:15:00",
        "Player   K♣   7♦   7",
        "Banker   4♦   4♠   8",
        "Banker 7:8",
        "wins: Banker 0.95:1",
        " HOLD ",
        "Big eye boy",
        "412 cards in the shoe",
        "7 messages, 3 not acknowledged",
        "bets: 3",
    ):
        assert words in drawn, drawn
    picture = drawn.rstrip().rpartition("╭")[2]
    assert picture.count("\n") < 24, "it fits on a small terminal"
