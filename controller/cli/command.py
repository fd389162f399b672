"""What a command is: its words, its arguments, an example, and where it is answered."""

from __future__ import annotations

import argparse
from collections.abc import Callable

import msgspec


class Command(msgspec.Struct, frozen=True):
    """One command; ``function`` of ``module`` in this package takes the arguments and gives the status."""

    name: str
    says: str
    module: str
    arguments: Callable[[argparse.ArgumentParser], None]
    call: str = ""
    """An example of a call; left out: one that a game brings (``Game.examples``)."""
    function: str = "run"

    @property
    def example(self) -> str:
        """An example of a call, for the help."""
        if self.call:
            return self.call
        from controller.games.registry import all_games

        found = next(game.examples[self.name] for game in all_games().values() if self.name in game.examples)
        return f"dealer-table {self.name} {found}"
