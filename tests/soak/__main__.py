"""``make soak``: 24 simulated hours at a table with its mishaps; status 1 where something grew that should
not."""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.harness.whole import must
from tests.soak.day import HOUR_S, Hour, day

SEED = 24
MOST_GROWTH_MB = 3.0
MOST_SLOWER = 2.0
"""Of the work for the median card. A machine with other work is slow, and that proves nothing."""


def run(
    folder: Path,
    hours: float,
    tell: Callable[[str], None],
    look_every_h: float = 1.0,
    seed: int = SEED,
) -> list[Hour]:
    """Play, and look at the process now and then; the first look is when everything has happened once."""
    chance = random.Random(seed)
    seen: list[Hour] = []
    with day(folder) as (table, broker, consumer_anew):
        mishaps = {
            7: lambda: must(table.keypad, "KEY boss", "VOID supervisor", "NOKEY", "OPEN"),
            13: consumer_anew,
            19: lambda: (broker.kill(), broker.start()),
        }
        next_look_s = look_every_h * HOUR_S
        while table.passed_s < hours * HOUR_S:
            table.round(chance)
            mishap = mishaps.get(table.rounds % 40)
            if mishap is not None and (table.rounds < 40 or table.rounds % 120 < 40):
                mishap()
            if table.passed_s >= next_look_s:
                next_look_s += look_every_h * HOUR_S
                table.wait(lambda: table.assembly.publisher.counters.pending == 0, "all is acknowledged")
                seen.append(table.figures())
                tell(seen[-1].row())
    return seen


def grown(seen: list[Hour]) -> list[str]:
    """What is more at the end than at the beginning, and should not be."""
    first, last, part = seen[0], seen[-1], max(1, len(seen) // 4)
    early, late = (median(hour.work_ms for hour in some) for some in (seen[:part], seen[-part:]))
    found = []
    if last.resident_mb > first.resident_mb + MOST_GROWTH_MB:
        found.append(f"memory: {first.resident_mb:.1f} MB at first, {last.resident_mb:.1f} MB at last")
    if last.descriptors > first.descriptors:
        found.append(f"descriptors: {first.descriptors} at first, {last.descriptors} at last")
    if last.threads > first.threads:
        found.append(f"threads: {first.threads} at first, {last.threads} at last")
    if late > early * MOST_SLOWER:
        found.append(f"work for a card: {early:.2f} ms at first, {late:.2f} ms at last")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0)
    parser.add_argument("--seed", type=int, default=SEED, help=f"another one deals other cards [{SEED}]")
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="dealer-table-soak-") as folder:
        seen = run(Path(folder), arguments.hours, lambda row: print(row, flush=True), seed=arguments.seed)
        size_mb = (Path(folder) / "journal.db").stat().st_size / 1e6
    took_s, load = time.monotonic() - began, os.getloadavg()[0]
    print(f"{arguments.hours:g} hours in {took_s:.0f} s, journal {size_mb:.1f} MB, load {load:.1f}")
    found = grown(seen)
    print("\n".join(found) if found else "nothing grew")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
