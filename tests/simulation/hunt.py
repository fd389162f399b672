"""``make hunt``: mistakes of our own choosing, and how many rounds the simulation needs to find each.

A mistake is found where a history breaks a rule with it and does not without it. What was found is kept in
``build/simulation/hunt.json``; a run that was stopped goes on with the next mistake.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.defects import HOUSE, Defect, Product, read
from tests.mutants.run import copies
from tests.simulation.levels import LEVELS

DEFECTS = Path(__file__).with_name("defects.txt")
KEPT = Path("build/simulation/hunt.json")
MOST_ROUNDS = 200_000
MEDIAN_ROUNDS = 20_000
FIRST_SEED = 15_000_000


def broken_kinds(level: str, seed: int) -> tuple[int, list[str]]:
    """Rounds of a history, and the rules that it breaks; what the program or its world cannot do is one."""
    at = LEVELS[level]()
    plan = at.plan_of(seed, None)
    try:
        world = at.live(plan)
    except Exception as error:  # whatever a mistake leads to
        return plan.rounds, [f"fails with {type(error).__name__}"]
    return world.course.rounds, [violation.kind for violation in world.broken]


def tell_broken(level: str) -> None:
    """Within a copy of the house: one line for each history."""
    seed = FIRST_SEED
    while True:
        print(json.dumps([seed, *broken_kinds(level, seed)]), flush=True)
        seed += 1


def found(defect: Defect, copy: Path) -> dict[str, object]:
    """Rounds until it was found, by which rule and seed; ``rounds`` alone where it was not."""
    [level] = defect.tests
    rounds = 0
    for seed, played, kinds in histories(copy, level):
        rounds += played
        new = set(kinds) - set(broken_kinds(level, seed)[1]) if kinds else set()
        if new:
            return {"rounds": rounds, "seed": seed, "kind": min(new)}
        if rounds > MOST_ROUNDS:
            break
    return {"rounds": rounds}


def histories(copy: Path, level: str) -> Iterator[tuple[int, int, list[str]]]:
    """What the house with the mistake makes of one seed after the other."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(copy)}
    asked = [sys.executable, "-m", "tests.simulation.hunt", "--histories", level]
    with subprocess.Popen(asked, cwd=copy, env=environment, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        try:
            for line in child.stdout:
                seed, played, kinds = json.loads(line)
                yield seed, played, kinds
        finally:
            child.kill()


def hunt(defect: Defect, copy: Path) -> dict[str, object]:
    """Put it into the copy, look for it, and take it out again."""
    name, changed = defect.applied(Product(copy))
    path = copy / name
    whole = path.read_bytes()
    path.write_text(changed)
    try:
        return found(defect, copy)
    finally:
        path.write_bytes(whole)


def main() -> int:
    """Exit status 1 where one was not found, or the median is too high."""
    parser = argparse.ArgumentParser(prog="make hunt", description=__doc__)
    parser.add_argument("parts", nargs="*", help="only mistakes whose name has one of these in it")
    parser.add_argument("--histories", choices=LEVELS, help=argparse.SUPPRESS)
    parser.add_argument("--anew", action="store_true", help="forget what an earlier run found")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.histories:
        tell_broken(given.histories)
    known: dict[str, dict[str, object]] = {}
    if KEPT.exists() and not given.anew:
        known = json.loads(KEPT.read_text())
    every = [
        defect
        for defect in read(DEFECTS.read_text())
        if not given.parts or any(part in defect.name for part in given.parts)
    ]
    left = [defect for defect in every if defect.name not in known]
    with copies(HOUSE, given.workers) as houses, ThreadPoolExecutor(given.workers) as pool:
        parts = [left[start :: given.workers] for start in range(given.workers)]

        def work(copy: Path, defects: list[Defect]) -> None:
            for defect in defects:
                known[defect.name] = hunt(defect, copy)
                KEPT.parent.mkdir(parents=True, exist_ok=True)
                KEPT.write_text(json.dumps(known))
                print(row(defect.name, known[defect.name]), flush=True)

        for done in [pool.submit(work, *one) for one in zip(houses, parts, strict=True)]:
            done.result()
    return tell([known[defect.name] for defect in every])


def row(name: str, what: dict[str, object]) -> str:
    """For people."""
    how = f"{what['kind']}, seed {what['seed']}" if "seed" in what else "NOT FOUND"
    return f"{name:70} {what['rounds']:>8} rounds  {how}"


def tell(all_of_them: list[dict[str, object]]) -> int:
    """The sum of it."""
    missing = sum("seed" not in one for one in all_of_them)
    median = statistics.median(int(str(one["rounds"])) for one in all_of_them)
    print(f"{len(all_of_them)} mistakes, {missing} not found, median {median:g} rounds")
    return 1 if missing or median > MEDIAN_ROUNDS else 0


if __name__ == "__main__":
    sys.exit(main())
