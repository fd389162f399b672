"""What the demo draws on a terminal: the table as its display says it."""

from __future__ import annotations

import io
import json
from pathlib import Path

from rich.console import Console

from controller.cli.screen import Screen
from controller.outbox.counters import OutboxCounters
from controller.settings.loader import load_configuration
from controller.shell.replay import Replay, configured_by, numbered
from controller.vocabulary.events import Stamp
from controller.vocabulary.histogram import Histogram
from tests.settings.files import SMALLEST

LINES = [
    {"event": "shoe_loaded", "cards": 416, "shuffled": True},
    {"event": "bets_opened"},
    {"event": "bets_closed"},
    *({"event": "card_read", "code": code} for code in ("KC", "4D", "7D", "4S")),
    {"event": "hold_requested", "by": "dealer"},
]
COUNTERS = OutboxCounters(True, True, 1, 7, 6, 5, {"settlement": 4}, 3, Histogram())


def test_cards_result_last_rounds_hold_and_shoe_are_shown(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(SMALLEST)
    replay = Replay(1)
    list(replay.step(configured_by(load_configuration(tmp_path / "table.toml")), Stamp()))
    for number, line in enumerate(LINES, 2):
        event, stamp = numbered(json.dumps({"at": "2026-01-31T20:15:07Z", **line}).encode(), number)
        list(replay.step(event, stamp))
    console = Console(file=io.StringIO(), width=100)
    with Screen("the table", lambda: COUNTERS, console, bets=lambda: "bets: 3") as screen:
        screen.show(replay.table.state, [])
        console.print(screen._draw())
    drawn = console.file.getvalue()  # type: ignore[attr-defined]
    for words in (
        "game 20:15:07",
        "player  K♣ 7♦",
        "banker  4♦ 4♠",
        "Banker 7:8",
        "HOLD: ",
        "412 cards in the shoe",
        "7 messages, 6 sent",
        "bets: 3",
    ):
        assert words in drawn, drawn
