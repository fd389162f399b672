"""A person who sets up or commissions a table, and the table to be commissioned."""

from __future__ import annotations

import argparse
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from controller.cli import commission
from controller.cli.conversation import Conversation
from controller.cli.installing import INSTALLING
from drivers.gpio.simulator import SimulatedBoard
from tests.harness.configuration import configured

TABLE = """
game.name = "two-cards-high"
journal.path = "{folder}/7.db"
devices.shoe = { driver = "bee-tek", port = "{folder}/shoe" }
"""
PINS = """
devices.beam = { driver = "gpio", pin = 24 }
devices.lights = { driver = "gpio", red = 16, green = 21, shoe_lock = 8 }
[devices.panel]
driver = "gpio"
key_switch = 25
buttons = { open = 5, hold = 26 }
lines = { "CLEAR void" = 27 }
"""


class Hands:
    """A person who answers by what is shown; of ``answers`` the longest beginning counts."""

    def __init__(self, answers: Mapping[str, str | Callable[[], object] | Sequence[Any]]) -> None:
        self._answers = answers
        self.told: list[str] = []
        self._typed: deque[str | None] = deque()
        self._more = threading.Semaphore(0)

    def lines(self) -> Iterator[str]:
        while True:
            self._more.acquire()
            line = self._typed.popleft()
            if line is None:
                return
            yield line

    def type(self, line: str | None) -> None:
        self._typed.append(line)
        self._more.release()

    def tell(self, text: str) -> None:
        self.told.append(text)
        fitting = [begin for begin in self._answers if text.startswith(begin)]
        if fitting:
            answer: Any = self._answers[max(fitting, key=len)]
            for one in answer if isinstance(answer, list) else [answer]:
                one() if callable(one) else self.type(one)


def parsed(command: str, *words: str) -> argparse.Namespace:
    """What the command line makes of these words."""
    parser = argparse.ArgumentParser()
    next(one for one in INSTALLING if one.name == command).arguments(parser.add_argument)
    return parser.parse_args(words)


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
