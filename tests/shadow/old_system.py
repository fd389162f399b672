"""An old system of software: it deals by the rules as people read them, and errs on purpose."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.harness.deals import DEALS

Line = dict[str, Any]
SECONDS_A_ROUND = 45


def lines(game: str, rounds: int, seed: int) -> Iterator[Line]:
    """The list of an old system that does not err."""
    deal = next(one for one in DEALS if one.game == game)
    chance, shoe, loads = random.Random(seed), list[str](), 0
    at = datetime(2026, 1, 31, 20, tzinfo=UTC)
    for number in range(1, rounds + 1):
        if deal.every_round or len(shoe) < 20:
            shoe, loads = deal.shoe(), loads + 1
            chance.shuffle(shoe)
        made = deal.made(line := deal.deal(lambda hand, place, shoe=shoe: shoe.pop(), lambda key: None))
        at += timedelta(seconds=SECONDS_A_ROUND)
        yield {
            "round": number,
            "at": f"{at:%Y-%m-%dT%H:%M:%SZ}",
            "shoe": loads,
            "cards": line["cards"],
            "outcome": made["outcome"],
            "bets": made["bets"],
            "x-pit": "north",
        }


def written(path: Path, told: list[Line] | list[str]) -> None:
    """Add lines to the list."""
    with path.open("a", encoding="utf-8") as file:
        for line in told:
            file.write((line if isinstance(line, str) else json.dumps(line)) + "\n")


def other_winner(line: Line) -> None:
    """It read the points wrongly."""
    won = line["outcome"]["winner"]
    line["outcome"]["winner"] = "banker" if won == "player" else "player"


def pays_too_much(line: Line) -> None:
    """Its pay table is another."""
    line["bets"]["tie"] = {"result": "win", "pays": "9:1"}


def keeps_a_unit(line: Line) -> None:
    """It rounds a player's money otherwise."""
    line["players"] = [{"id": "ada", "bets": [{"spot": "small", "stake": 100, "returned": 1}]}]


def deals_one_too_many(line: Line) -> None:
    """A card was dealt that no rule asks for."""
    line["cards"].append("AS")


def forgets_a_card(line: Line) -> None:
    """The round was paid before the last card."""
    line["cards"].pop()


def takes_a_foreign_card(line: Line) -> None:
    """A card of another set was played."""
    line["cards"][0] = "9X"


def voids(line: Line) -> None:
    """It voided a round that was right."""
    line["void"] = "the pit said so"


def misspells(line: Line) -> None:
    """Its list has a key that nobody knows."""
    line["otcome"] = line.pop("outcome")


ERRORS: tuple[tuple[Callable[[Line], None], str], ...] = (
    (other_winner, "outcome"),
    (pays_too_much, "bets"),
    (keeps_a_unit, "money"),
    (deals_one_too_many, "held_here"),
    (forgets_a_card, "held_here"),
    (takes_a_foreign_card, "held_here"),
    (voids, "void_there"),
    (misspells, "unreadable"),
)
"""An error at baccarat, and the kind of difference that it is."""
