"""docs/reference/spot-fields.md: what a house's spot may ask of a round, from the games themselves."""

from __future__ import annotations

from collections.abc import Sequence

from controller.games.game import Game
from controller.games.house_spots import Scalar
from controller.games.registry import all_games

HEAD = """# What a house's own spot may ask of a round

Drawn from the code by `make docs`. A condition names a field and a value, or a list of values of which any will do; see
[add a side bet](../how-to/add-a-side-bet.md).
"""
MOST_SHOWN = 15


def draw() -> str:
    """The page."""
    return HEAD + "".join(map(_game, all_games().values()))


def _game(game: type[Game]) -> str:
    rows = "".join(f"| `{name}` | {_values(values)} |\n" for name, values in game.fields().items())
    hands = game.hands_with_spots
    each = (
        f"\nA spot stands for each of {hands[0]} to {hands[-1]} and is written once; fields without a dot are of its"
        " own hand.\n"
        if hands
        else ""
    )
    return f"\n## {game.name}\n{each}\n| field | values |\n| --- | --- |\n{rows}"


def _values(values: Sequence[Scalar]) -> str:
    if isinstance(values[0], bool):
        return "`true`, `false`"
    if isinstance(values[0], int):
        return f"{values[0]} to {values[-1]}"
    shown = [f'`"{value}"`' for value in values]
    if len(shown) > MOST_SHOWN:
        return f"{shown[0]} to {shown[-1]}, {len(shown)} cards"
    return ", ".join(shown)
