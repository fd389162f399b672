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
    example: str
    function: str = "run"
