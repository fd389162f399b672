"""The baccarat scoreboards as a terminal can show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from controller.cli.telling import columns
from controller.vocabulary.scoreboard import BigRoadEntry

_SIDES = {"player": "P", "banker": "B", "tie": "T"}
_COLOURS = {"red": "R", "blue": "b", None: "-"}
_DERIVED = ("big_eye_boy", "small_road", "cockroach_pig")


def roads_table(answer: Mapping[str, Any]) -> list[str]:
    """The bead plate in order of play, the big road as drawn, the derived roads, the ask-road."""
    ask = answer["ask"]
    asked = [
        (f"if {side} is next", *(_COLOURS[colour] for colour in colours))
        for side, colours in (("player", ask.player), ("banker", ask.banker))
    ]
    derived = [(_name(road), _runs(answer[road])) for road in _DERIVED]
    return [
        f"bead plate  {''.join(_SIDES[result['winner']] for result in answer['bead']) or '-'}",
        "",
        "big road (P player, B banker, a digit: ties after it)",
        *_big_road(answer["big_road"]),
        "",
        "derived roads (R red, b blue)",
        *columns(derived),
        "",
        *columns([("", *map(_name, _DERIVED)), *asked]),
    ]


def _big_road(entries: Sequence[BigRoadEntry]) -> list[str]:
    if not entries:
        return ["-"]
    across = max(entry.column for entry in entries) + 1
    down = max(entry.row for entry in entries) + 1
    grid = [["  "] * across for _ in range(down)]
    for entry in entries:
        ties = str(min(entry.ties, 9)) if entry.ties else " "
        grid[entry.row][entry.column] = _SIDES[entry.winner] + ties
    return ["".join(row).rstrip() for row in grid]


def _runs(colours: Sequence[str]) -> str:
    """Runs of one colour stand together, as they would in a column."""
    return " ".join("".join(_COLOURS[colour] for colour in run) for _, run in groupby(colours)) or "-"


def _name(road: str) -> str:
    return road.replace("_", " ")
