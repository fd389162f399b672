"""``make simulate``: a million rounds of the physical table, or one history again.

``ROUNDS=1000000`` plays so many in all and goes on where it was stopped; ``SEED=n`` repeats one history,
makes it small and prints it as a conversation; ``GAME=baccarat`` plays one game only,
``LEVEL=stack`` with the whole stack: journal, disk, broker, consumers and cables.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from pathlib import Path

from tests.simulation.coverage import empty_cells, table_of_unnoticed, table_of_what_happened
from tests.simulation.drawing import GAMES
from tests.simulation.history import smallest
from tests.simulation.levels import LEVELS
from tests.simulation.run import Progress, Seen, run

KEPT = Path("build/simulation")


def main() -> int:
    """Exit status 1 where a rule was broken, or a cell stayed empty."""
    parser = argparse.ArgumentParser(prog="make simulate", description=__doc__)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--level", choices=LEVELS, default="core", help="stack: journal, broker, cables too")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--anew", action="store_true", help="forget where an earlier run was stopped")
    given = parser.parse_args()
    if given.seed is not None:
        return again(given.seed, given.game, given.level)
    kept = KEPT / f"{given.level}-{given.game or 'all'}.json"
    progress = None if given.anew else Progress.read(kept)
    if progress is None or progress.seen.rounds >= given.rounds:
        progress = Progress(secrets.randbelow(1 << 40))
    progress.seen.judge_again(given.game, given.level)
    said = time.monotonic()
    for now in run(
        progress,
        kept,
        rounds=given.rounds,
        seconds=given.seconds,
        game=given.game,
        processes=given.processes,
        level=given.level,
    ):
        if time.monotonic() - said > 30:
            said = time.monotonic()
            print(f"{now.seen.rounds} rounds, {sum(now.seen.broken.values())} violations", file=sys.stderr)
    return tell(progress.seen, given.game, given.level)


def again(seed: int, game: str | None, level: str) -> int:
    """One history, made small."""
    at = LEVELS[level]()
    plan = at.plan_of(seed, game)
    broken = at.live(plan).broken
    for violation in broken:
        print(smallest(plan, violation.kind, at.live)[1])
    if not broken:
        print(f"history {seed} breaks no rule")
    return 1 if broken else 0


def tell(seen: Seen, game: str | None, level: str) -> int:
    """What was found and what was tried."""
    per_s = seen.rounds / max(seen.seconds, 1e-9)
    print(f"{seen.rounds} rounds in {seen.histories} histories, {per_s:.0f} rounds a second of one core\n")
    print(table_of_what_happened(seen.happened, LEVELS[level]().faults))
    print("\nFinals that differ from the felt, and nobody could notice:")
    print(table_of_unnoticed(seen.unnoticed))
    for kind, times in seen.broken.most_common():
        seed, rounds = seen.first[kind]
        only = (f" GAME={game}" if game else "") + (f" LEVEL={level}" if level != "core" else "")
        print(
            f"VIOLATION {kind}: {times} times, first after {rounds} rounds: make simulate SEED={seed}{only}"
        )
    if seen.seeds:
        print(f"all of them: {' '.join(map(str, seen.seeds))}")
    if seen.mended:
        print(f"broke a rule, and break none since it was mended: {' '.join(map(str, seen.mended))}")
    at = LEVELS[level]()
    missing = empty_cells(seen.happened, at.faults, at.one_game) if game is None else []
    for cell in missing:
        print(f"EMPTY {cell}")
    return 1 if seen.broken or missing else 0


if __name__ == "__main__":
    sys.exit(main())
