"""The scoreboards of a shoe in a terminal: the big road, the counts, and the roads that follow."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as Grid
from rich.text import Text

from controller.board.names import words
from controller.roads import ROWS
from controller.vocabulary.scoreboard import Colour, Scoreboard

_COLOURS = {"player": "bright_blue", "banker": "bright_red", "red": "bright_red", "blue": "bright_blue"}


def roads(board: Scoreboard, width: int) -> Grid:
    """The newest part of each road, in six lines of so many columns."""
    counts_and_derived = beside(board, 28)
    taken = max(line.cell_len for line in counts_and_derived.split())
    grid = Grid.grid(padding=(0, 2))
    grid.add_row(big_road(board, (width - taken - 2) // 2), counts_and_derived)
    return grid


def big_road(board: Scoreboard, columns: int) -> Text:
    """Each win as a dot, its ties as a green stroke; red is the banker, blue the player."""
    filled = {(entry.row, entry.column): entry for entry in board.big_road}
    last = max((entry.column for entry in board.big_road), default=0)
    first = max(last + 1 - columns, 0)
    drawn = Text()
    for row in range(ROWS):
        for column in range(first, first + columns):
            entry = filled.get((row, column))
            if entry is None:
                drawn.append("· ", "grey30")
            else:
                drawn.append("●", _COLOURS[entry.winner])
                drawn.append("╱" if entry.ties else " ", "bright_green")
        drawn.append("" if row == ROWS - 1 else "\n")
    return drawn


def beside(board: Scoreboard, columns: int) -> Text:
    """How often each side won, and the roads that follow from the big one."""
    told = words()
    winners: list[str] = [bead.winner for bead in board.bead]
    drawn = Text("  ").join(
        Text(f"{told[f'count.{winner}']} {winners.count(winner)}", style)
        for winner, style in (("banker", "bright_red"), ("player", "bright_blue"), ("tie", "bright_green"))
    )
    drawn.append("\n\n")
    for name, sign, road in (
        ("big-eye-boy", "○", board.big_eye_boy),
        ("small-road", "●", board.small_road),
        ("cockroach-pig", "╱", board.cockroach_pig),
    ):
        drawn.append(f"{told[f'road.{name}']:14}", "dim")
        drawn.append_text(_dots(road, sign, columns - 14)).append("\n")
    drawn.right_crop(1)
    return drawn


def _dots(road: Sequence[Colour], sign: str, columns: int) -> Text:
    drawn = Text()
    for colour in road[-columns:]:
        drawn.append(sign, _COLOURS[colour])
    return drawn
