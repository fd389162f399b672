"""What the demo draws on a terminal: the table as its display says it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from controller.cli.screen import Screen
from controller.cli.terminal_roads import roads
from controller.outbox.counters import OutboxCounters
from controller.roads import ROWS, scoreboard
from controller.vocabulary.histogram import Histogram
from controller.vocabulary.scoreboard import Bead
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


@pytest.mark.parametrize(
    ("said", "words"), [("", " PLACE YOUR BETS  "), ("; CLOSE; KC; 4D; 3D; 2S", " PLACE YOUR BETS AGAIN ")]
)
def test_bets_while_cards_lie_are_bets_again(said: str, words: str) -> None:
    state = talk('baccarat odds=live betting_rounds=["deal","first"]', f"SHOE 416; OPEN{said}").state
    console = Console(file=io.StringIO(), width=80, height=24)
    with Screen("the table", lambda: COUNTERS, console, bets=str) as screen:
        screen.show(state, [])
        console.print(screen.picture())
    assert words in console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", [76, 96])
def test_roads_keep_their_six_lines_when_ties_come_to_two_digits(width: int) -> None:
    beads = [
        Bead(winner=winner, natural=False)
        for _ in range(11)
        for winner in ("banker", "banker", "player", "tie")
    ]
    console = Console(file=io.StringIO(), width=width)
    console.print(roads(scoreboard(beads), width))
    drawn = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert "Banker 22  Player 11  Tie 11" in drawn[0]
    assert len(drawn) == ROWS
