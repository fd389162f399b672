"""A game says what it is: its name stands in its own modules, and nowhere else in the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.games.registry import all_games, module_name

HOUSE = Path(__file__).resolve().parents[2]
ROOMS = ("controller/games", "controller/odds", "controller/par")
SOURCES = sorted(path for room in ("controller", "drivers") for path in (HOUSE / room).rglob("*.py"))
GAMES = {name: module_name(name) for name in all_games()}
NAME = re.compile("|".join([*map(re.escape, GAMES), *GAMES.values()]))
COUNTS = {
    "baccarat": ("tableau", "pair_events"),
    "casino_holdem": ("holdem_",),
}
"""Beginnings of the further modules of a game in the rooms that count."""
PUBLISHED = {'the name of a game, as "baccarat"'}
"""Texts of schemas, which stay as they are."""


def own_game(path: Path) -> str | None:
    """The game whose module this is, or is a part of."""
    place = path.relative_to(HOUSE).as_posix()
    for module in GAMES.values():
        beginnings = (module, *COUNTS.get(module, ()))
        if place.startswith(tuple(f"{room}/{name}" for room in ROOMS for name in beginnings)):
            return module
    return None


def named_in_code(path: Path) -> Iterator[str]:
    """The games that code names: in imports, in names, and in texts that are no docstrings."""
    tree = ast.parse(path.read_text())
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if id(node) not in prose and text not in PUBLISHED:
                yield from NAME.findall(text)
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                yield from NAME.findall(" ".join([module, *(one.name for one in names)]))
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.FunctionDef(name=name):
                yield from NAME.findall(name)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_a_game_is_named_in_its_own_modules_alone(path: Path) -> None:
    """So no game imports another, and a game is added without a change to what stands."""
    own = own_game(path)
    allowed = {own, *(name for name, module in GAMES.items() if module == own)}
    assert [name for name in named_in_code(path) if name not in allowed] == []
