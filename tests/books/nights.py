"""Nights of a few rounds, each game in turn, in each database, with and without a wallet of the house."""

from __future__ import annotations

import random
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tests.books.counting import Figures
from tests.books.mortal import quiet
from tests.books.night import Night
from tests.books.whole import WholeNight
from tests.harness.postgres import Postgres
from tests.wagering.evening import GAMES
from tests.wagering.house_wallet import HouseWallet

ROUNDS = 50
"""Of a night."""
WHOLE_EVERY = 200
"""Of so many nights one is of processes, which takes as long as forty of the others."""
KINDS = (
    ("sqlite", False),
    ("sqlite", True),
    ("postgresql", False),
    ("sqlite", False),
    ("sqlite", True),
    ("postgresql", True),
)
"""Database, and whether the house has a wallet."""


def end_when_told() -> None:
    """SIGTERM ends a process as its last line does: what it started, a PostgreSQL or a table, ends too."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


def name_of(seed: str, number: int) -> str:
    """Of a night; its dice are thrown from it."""
    return f"{seed}-{number}"


def of_many(seed: str, players: int, number: int) -> tuple[str, dict[str, Any], str]:
    """One night in a process of many: its name and figures, or what does not balance."""
    threading.excepthook = quiet
    name = name_of(seed, number)
    try:
        return name, msgspec.to_builtins(play(name, number, players, postgres())), ""
    except Exception:
        return name, {}, traceback.format_exc()


@cache
def postgres() -> Postgres:
    """The server of this process."""
    server = Postgres()
    Finalize(server, server.close, exitpriority=1)
    return server


def play(name: str, number: int, players: int, postgres: Postgres, rounds: int = ROUNDS) -> Figures:
    """The night of this number; what it was made of."""
    if (number + 1) % WHOLE_EVERY == 0:
        return play_whole(name, number // WHOLE_EVERY, players, postgres, rounds)
    with house(number, postgres) as (_, url, game, wallet, server):
        night = Night(url, game, random.Random(name), players, wallet, server)
        with closing(night):
            for _ in range(rounds):
                night.round()
                night.figures.rounds += 1
            return night.check()


def play_whole(name: str, number: int, players: int, postgres: Postgres, rounds: int = ROUNDS) -> Figures:
    """One of processes, of a table, broker and service that are killed as well."""
    with house(number, postgres) as (folder, url, game, wallet, server), ExitStack() as stack:
        night = WholeNight(folder, url, game, random.Random(name), players, wallet, server, stack)
        night.play(rounds)
        return night.check()


@contextmanager
def house(
    number: int, postgres: Postgres
) -> Iterator[tuple[Path, str, str, HouseWallet | None, Postgres | None]]:
    """Where a night is played: its folder, empty books, the game, the house's wallet and the server of the
    books, where it has them."""
    game = list(GAMES)[number % len(GAMES)]
    kind, has_wallet = KINDS[number // len(GAMES) % len(KINDS)]
    with TemporaryDirectory(prefix="dealer-table-books-") as folder, ExitStack() as stack:
        wallet = stack.enter_context(HouseWallet()) if has_wallet else None
        if kind == "sqlite":
            yield Path(folder), f"sqlite:///{folder}/books.db", game, wallet, None
        else:
            url = postgres.database()
            stack.callback(postgres.forget, url)
            yield Path(folder), url, game, wallet, postgres
