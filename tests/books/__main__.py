"""``make books``: players bet, undo, double, leave and call again while all is killed; the books balance.

Nights of fifty rounds, each game in turn, in SQLite and in PostgreSQL, with accounts of our own and a wallet
of the house; one of two hundred is of processes, whose table and broker are killed too. What is played stands
in ``build/books.json``: a run goes on where the one before was stopped. A night that does not balance stands
there too, and no run goes on over it until ``--again`` begins anew.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections import Counter
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from tests.books.nights import ROUNDS, end_when_told, of_many

FAULT = "fault"
"""What stands of a night that does not balance."""
PROGRESS = Path(__file__).parents[2] / "build" / "books.json"


def main() -> int:
    """Play, and print the figures; an AssertionError says what does not balance, and its night."""
    parser = argparse.ArgumentParser(prog="python -m tests.books")
    parser.add_argument("--rounds", type=int, default=5_000, help="altogether, earlier runs counted [5000]")
    parser.add_argument("--players", type=int, default=200, help="[200]")
    parser.add_argument("--seed", default="7", help="[7]")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="[all cores]")
    parser.add_argument("--again", action="store_true", help="forget what was played")
    chosen = parser.parse_args()
    done = {} if chosen.again else read(chosen.seed)
    if wrong := [name for name, one in done.items() if FAULT in one]:
        return lament(wrong[0], done[wrong[0]][FAULT])
    nights = [
        number for number in range(-(-chosen.rounds // ROUNDS)) if f"{chosen.seed}-{number}" not in done
    ]
    began = time.monotonic()
    end_when_told()
    with get_context("spawn").Pool(chosen.processes, end_when_told) as pool:
        one = partial(of_many, chosen.seed, chosen.players)
        for name, figures, fault in pool.imap_unordered(one, nights):
            done[name] = {FAULT: fault} if fault else figures
            keep(done)
            if fault:
                return lament(name, fault)
            print(f"night {name}: {figures['rounds']} rounds, {figures['bets']} bets", flush=True)
    tell(list(done.values()), time.monotonic() - began)
    return 0


def keep(done: dict[str, Any]) -> None:
    """So far it is played; whole, whenever this is killed."""
    PROGRESS.parent.mkdir(exist_ok=True)
    written = PROGRESS.with_suffix(".new")
    written.write_text(json.dumps(done))
    written.replace(PROGRESS)


def lament(name: str, fault: str) -> int:
    """Tell of the night that does not balance; the exit status."""
    print(f"night {name} does not balance; --again begins anew\n{fault}", file=sys.stderr)
    return 1


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
