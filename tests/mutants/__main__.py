"""``python -m tests.mutants [PART OF A NAME ...]``: every named defect must turn a test red."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.mutants.defects import HOUSE, DefectError, defects
from tests.mutants.run import Tried, try_all

WORKERS = 2


def main() -> int:
    """0 where every defect was noticed; 1 where one survived; 2 where one could not be tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("parts", nargs="*", help="only defects whose name or file has this in it")
    parser.add_argument("--workers", type=int, default=WORKERS, help=f"at a time [{WORKERS}]")
    asked = parser.parse_args()
    chosen = [
        defect
        for defect in defects()
        if not asked.parts or any(part in f"{defect.name} {defect.file}" for part in asked.parts)
    ]
    if not chosen:
        print("no defect has such a name", file=sys.stderr)
        return 2
    try:
        for defect in chosen:
            defect.applied(HOUSE)
        tried = try_all(chosen, HOUSE, asked.workers, tell)
    except DefectError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    counts = Counter(one.verdict for one in tried)
    print(f"{len(tried)} defects: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 2 if counts["error"] else 1 if counts["survived"] else 0


def tell(tried: Tried) -> None:
    """One line of the table, as soon as it is known."""
    print(f"{tried.verdict:<9}{tried.seconds:>6.1f} s  {tried.defect.name:<58} {tried.by}", flush=True)


sys.exit(main())
