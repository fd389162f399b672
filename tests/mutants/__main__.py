"""``python -m tests.mutants [PART OF A NAME ...]``: every named defect must turn a test red."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.mutants.defects import HOUSE, Defect, DefectError, Product, defects, is_there
from tests.mutants.run import Tried, try_all

WORKERS = 2


def main() -> int:
    """0 where every defect was noticed; 1 where one survived; 2 where one could not be tried."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help="only defects that have all of these in name, place or tests"
    )
    parser.add_argument("--workers", type=int, default=WORKERS, help=f"at a time [{WORKERS}]")
    parser.add_argument("--look", action="store_true", help="only say which ones no longer apply")
    asked = parser.parse_args()
    chosen = [one for one in defects() if one.meant(asked.parts)]
    if not chosen:
        print("no defect has such a name", file=sys.stderr)
        return 2
    product = Product()
    problems = {one: problem for one in chosen if (problem := problem_of(one, product))}
    for problem in problems.values():
        print(f"does not apply  {problem}")
    fit = [one for one in chosen if one not in problems and not asked.look]
    try:
        tried = try_all(fit, HOUSE, asked.workers, tell) if fit else []
    except DefectError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    counts = Counter(one.verdict for one in tried)
    if tried:
        print(
            f"{len(tried)} defects: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        )
    return 2 if problems or counts["error"] else 1 if counts["survived"] else 0


def problem_of(defect: Defect, product: Product) -> str:
    """Why a defect does not apply to the product as it is; nothing where it does."""
    missing = [test for test in defect.tests if not is_there(test)]
    if missing:
        return f"{defect.name}: there is no {missing[0]}"
    try:
        defect.applied(product)
    except DefectError as error:
        return str(error)
    return ""


def tell(tried: Tried) -> None:
    """One line of the table, as soon as it is known."""
    print(f"{tried.verdict:<9}{tried.seconds:>6.1f} s  {tried.defect.name:<58} {tried.by}", flush=True)


sys.exit(main())
