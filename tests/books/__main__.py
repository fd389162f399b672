"""``make books``: players bet, undo, double, leave and call again while all is killed; the books balance.

Nights of ten rounds, each game in turn, in SQLite and in PostgreSQL, with accounts of our own and a wallet of
the house. What is played stands in ``build/books.json``: a run goes on where the one before was stopped.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from tests.books.mortal import quiet
from tests.books.night import Figures, Night
from tests.harness.postgres import Postgres
from tests.wagering.evening import GAMES
from tests.wagering.house_wallet import HouseWallet

PROGRESS = Path(__file__).parents[2] / "build" / "books.json"
ROUNDS = 10
"""Of a night."""
KINDS = (("sqlite", False), ("postgresql", False), ("sqlite", True), ("postgresql", True))
"""Database, and whether the house has a wallet."""


def main() -> int:
    """Play, and print the figures; an AssertionError says what does not balance, and its night."""
    parser = argparse.ArgumentParser(prog="python -m tests.books")
    parser.add_argument("--rounds", type=int, default=5_000, help="altogether, earlier runs counted [5000]")
    parser.add_argument("--players", type=int, default=200, help="[200]")
    parser.add_argument("--seed", default="7", help="[7]")
    parser.add_argument("--again", action="store_true", help="forget what was played")
    chosen = parser.parse_args()
    threading.excepthook = quiet
    done = {} if chosen.again else read(chosen.seed)
    began = time.monotonic()
    with ExitStack() as stack:
        postgres = Postgres()
        stack.callback(postgres.close)
        while sum(one["rounds"] for one in done.values()) < chosen.rounds:
            number = len(done)
            name = f"{chosen.seed}-{number}"
            try:
                done[name] = msgspec.to_builtins(play(name, number, chosen.players, postgres))
            except AssertionError:
                print(f"night {name} does not balance", file=sys.stderr)
                raise
            PROGRESS.parent.mkdir(exist_ok=True)
            PROGRESS.write_text(json.dumps(done))
            print(f"night {name}: {done[name]['rounds']} rounds, {done[name]['bets']} bets", flush=True)
    tell(list(done.values()), time.monotonic() - began)
    return 0


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


def read(seed: str) -> dict[str, Any]:
    """What earlier runs with this seed have played."""
    if not PROGRESS.exists():
        return {}
    played: dict[str, Any] = json.loads(PROGRESS.read_text())
    return {name: one for name, one in played.items() if name.rpartition("-")[0] == seed}


def tell(nights: list[dict[str, Any]], seconds: float) -> None:
    """The figures of all that was played."""
    total = {key: sum(one[key] for one in nights) for key in ("rounds", "calls", "bets", "staked", "lines")}
    kills, refused = Counter[str](), Counter[str]()
    for one in nights:
        kills.update(one["kills"])
        refused.update(one["refused"])
    print(f"{total['rounds']:,} rounds in {len(nights)} nights, this run {seconds:.0f} s")
    print(f"{total['calls']:,} calls, refused {dict(refused.most_common())}")
    print(f"{total['bets']:,} bets, {total['staked']:,} staked, {total['lines']:,} ledger lines")
    print(f"killed: {dict(kills.most_common())}")
    print("every ledger sums to zero, every bet is booked once, every balance is what was counted beside it")


if __name__ == "__main__":
    sys.exit(main())
