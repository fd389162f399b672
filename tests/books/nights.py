"""Nights of a few rounds, each game in turn, in each database, with and without a wallet of the house."""

from __future__ import annotations

import random
import threading
import traceback
from contextlib import ExitStack
from functools import cache
from multiprocessing.util import Finalize
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tests.books.mortal import quiet
from tests.books.night import Figures, Night
from tests.harness.postgres import Postgres
from tests.wagering.evening import GAMES
from tests.wagering.house_wallet import HouseWallet

ROUNDS = 10
"""Of a night."""
KINDS = (("sqlite", False), ("postgresql", False), ("sqlite", True), ("postgresql", True))
"""Database, and whether the house has a wallet."""


def name_of(seed: str, number: int) -> str:
    """Of a night; its dice are thrown from it."""
    return f"{seed}-{number}"


def of_many(seed: str, players: int, number: int) -> tuple[str, dict[str, Any], str]:
    """One night in a process of many: its name and figures, or what does not balance."""
    threading.excepthook = quiet
    name = name_of(seed, number)
    try:
        return name, msgspec.to_builtins(play(name, number, players, postgres())), ""
    except AssertionError:
        return name, {}, traceback.format_exc()


@cache
def postgres() -> Postgres:
    """The server of this process."""
    server = Postgres()
    Finalize(server, server.close, exitpriority=1)
    return server


def play(name: str, number: int, players: int, postgres: Postgres, rounds: int = ROUNDS) -> Figures:
    """One night; what it was made of."""
    game = list(GAMES)[number % len(GAMES)]
    kind, has_wallet = KINDS[number // len(GAMES) % len(KINDS)]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        wallet = stack.enter_context(HouseWallet()) if has_wallet else None
        server = postgres if kind == "postgresql" else None
        url = f"sqlite:///{folder}/books.db" if server is None else server.database()
        night = Night(url, game, random.Random(name), players, wallet, server)
        stack.callback(night.close)
        for _ in range(rounds):
            night.round()
            night.figures.rounds += 1
        return night.check()
