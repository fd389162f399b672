"""A table to be commissioned."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from controller.cli import commission
from controller.cli.conversation import Conversation
from drivers.gpio.simulator import SimulatedBoard
from tests.cli.person import Hands, parsed
from tests.harness.configuration import configured

TABLE = """
game.name = "two-cards-high"
journal.path = "{folder}/7.db"
devices.shoe = { driver = "bee-tek", port = "{folder}/shoe" }
"""
PINS = """
[devices.panel]
driver = "gpio"
key_switch = 25
buttons = { open = 5, hold = 26 }
lines = { "CLEAR void" = 27 }
[devices.beam]
driver = "gpio"
pin = 24
[devices.lights]
driver = "gpio"
red = 16
green = 21
shoe_lock = 8
"""


class Table:
    """A table to be commissioned, with its far ends."""

    def __init__(self, folder: Path, devices: str = "", *, port: int = 1, mqtt: str = "") -> None:
        self.folder = folder
        self.file = configured(folder, TABLE, f"[mqtt]\nport = {port}\n{mqtt}", devices)
        self.told: list[str] = []

    def commission(
        self, answers: dict[str, Any], *words: str, board: SimulatedBoard | None = None
    ) -> tuple[int, dict[str, Any]]:
        """The status, and the newest report (empty where there is none)."""
        call = ["--config", str(self.file), "--by", "Kim", "--report", str(self.folder), *words]
        hands = Hands(answers)
        talk = Conversation(hands.lines(), hands.tell)
        try:
            status = commission.run(
                parsed("commission", *call), talk, None if board is None else board.factory
            )
        finally:
            hands.type(None)
            self.told += hands.told
        reports = sorted(self.folder.glob("commissioning-7-*.json"), key=lambda path: path.stat().st_mtime_ns)
        return status, json.loads(reports[-1].read_text()) if reports else {}


def verdicts(report: dict[str, Any], part: str) -> dict[str, str]:
    return {step["name"]: step["verdict"] for step in report["steps"] if step["part"] == part}


def drawing(draw: Callable[[Any], object], cards: Sequence[Any]) -> dict[str, Any]:
    """A hand that draws the next card when the one before is confirmed."""
    answers: dict[str, Any] = {"type end": lambda: draw(cards[0])}
    for number in range(1, len(cards) + 1):
        following = [lambda card=card: draw(card) for card in cards[number : number + 1]]
        answers[f"{number}/"] = ["", *following]
    return answers
