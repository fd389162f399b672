"""What a command is: its words, its arguments, an example, and where it is answered."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

import msgspec

from controller.interrupted import ends_at_once

Add = Callable[..., argparse.Action]
"""``add_argument`` of a parser."""
Arguments = Callable[[Add], object]


class Command(msgspec.Struct, frozen=True):
    """One command."""

    name: str
    says: str
    arguments: Arguments
    call: str = ""
    """The arguments of an example; left out: those that a game brings (``Game.examples``)."""
    module: str = ""
    """Of this package, where a function with the name of the command answers it; left out: ``run`` of the
    module with that name."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Import what answers it, and let it answer; the exit status."""
        with ends_at_once():
            module = import_module(f"controller.cli.{self.module or self.name.replace('-', '_')}")
        answer: Callable[[argparse.Namespace], int] = getattr(module, self.name if self.module else "run")
        return answer(arguments)

    @property
    def example(self) -> str:
        """An example of a call, for the help."""
        call = self.call
        if not call:
            from controller.games.registry import all_games

            games = all_games().values()
            call = next(game.examples[self.name] for game in games if self.name in game.examples)
        return f"dealer-table {self.name} {call}"


def command(says: str, call: str = "") -> Callable[[Arguments], Command]:
    """Declares a command by the function that adds its arguments and has its name."""
    return lambda adds: Command(adds.__name__.replace("_", "-"), says, adds, call)


def needs_config(add: Add) -> None:
    """What a command of one table is given."""
    add("--config", metavar="FILE", required=True, help="the configuration of the table, TOML")
