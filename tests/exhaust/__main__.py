"""``python -m tests.exhaust``: all states of tiny tables that some mishaps reach, in minutes on two cores."""

from __future__ import annotations

import argparse
import sys
from multiprocessing import get_context

from tests.exhaust.job import one
from tests.exhaust.tiny import TABLES


def main() -> int:
    """Print what was seen; an AssertionError says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.exhaust", description=__doc__)
    parser.add_argument("--mishaps", type=int, default=3, help="so many things may go wrong [3]")
    parser.add_argument("--states", type=int, default=150_000, help="at most so many states a table [150000]")
    parser.add_argument("--processes", type=int, default=2)
    asked = parser.parse_args()
    total = 0
    with get_context("spawn").Pool(asked.processes) as pool:
        jobs = [(table, asked.mishaps, asked.states) for table in TABLES]
        for table, found, seconds in pool.imap_unordered(one, jobs):
            total += found.states
            extent = f"all with {found.mishaps} mishaps" if found.whole else "not all: --states allows more"
            print(
                f"{table}\n    {found.states:,} states ({extent}), {found.events:,} events, {seconds:.0f} s"
            )
            print(f"    the next open round is at most {found.longest_way_out} keys away", flush=True)
    print(
        f"{total:,} states: no exception, no invariant broken, a way to the next open round from each of them"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
