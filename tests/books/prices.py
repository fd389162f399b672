"""``python -m tests.books.prices``: many rounds at live odds with simulated bets, balanced to the unit."""

from __future__ import annotations

import argparse
import sys
import time

from controller.book import BANK
from tests.books.simulation import simulate


def main() -> int:
    """Print what was played; an AssertionError says what does not balance."""
    parser = argparse.ArgumentParser(prog="python -m tests.books.prices", description=__doc__)
    parser.add_argument("--rounds", type=int, default=10_000, help="[10000]")
    parser.add_argument("--seed", type=int, default=7, help="[7]")
    asked = parser.parse_args()
    started = time.monotonic()
    simulation = simulate(asked.rounds, asked.seed)
    seen, bank = simulation.seen, simulation.book.accounts[BANK]
    print(f"{seen.rounds:,} rounds in {time.monotonic() - started:.0f} s, {seen.offers:,} offers")
    print(f"results {dict(seen.results)}, mishaps {dict(seen.mishaps)}")
    print(f"{seen.bets:,} bets taken, refused {dict(seen.refused)}")
    print(f"staked {seen.staked:,}, returned {seen.returned:,}, bank {bank:,} ({bank / seen.staked:.2%})")
    print(
        f"expected by the published chances {seen.expected / seen.staked:.2%}, {simulation.sigmas:+.1f} sigma"
    )
    print(f"all accounts together: {sum(simulation.book.accounts.values())}; the books balance to the unit")
    return 0 if abs(simulation.sigmas) < 4 else 1


if __name__ == "__main__":
    sys.exit(main())
