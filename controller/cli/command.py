"""What a command is: its words, its arguments, an example, and where it is answered."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module

import msgspec


class Command(msgspec.Struct, frozen=True):
    """One command."""

    name: str
    says: str
    arguments: Callable[[argparse.ArgumentParser], None]
    call: str = ""
    """An example of a call; left out: one that a game brings (``Game.examples``)."""
    module: str = ""
    """Of this package, where a function with the name of the command answers it; left out: ``run`` of the
    module with that name."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Import what answers it, and let it answer; the exit status."""
        module = import_module(f"controller.cli.{self.module or self.name.replace('-', '_')}")
        answer: Callable[[argparse.Namespace], int] = getattr(module, self.name if self.module else "run")
        return answer(arguments)

    @property
    def example(self) -> str:
        """An example of a call, for the help."""
        if self.call:
            return self.call
        from controller.games.registry import all_games

        found = next(game.examples[self.name] for game in all_games().values() if self.name in game.examples)
        return f"dealer-table {self.name} {found}"
