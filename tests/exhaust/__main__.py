"""``python -m tests.exhaust``: all states of tiny tables that some mishaps reach.

What a table has shown is kept in ``build/exhaust``, named after a digest of the code that it was shown of: a
run that was stopped goes on with the next table, and ``--table`` looks at one alone.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from multiprocessing import get_context
from pathlib import Path

import msgspec

from tests.exhaust.job import Job, Looked, one
from tests.exhaust.tiny import TABLES

KEPT = Path("build/exhaust")
HOUSE = Path(__file__).resolve().parents[2]
CODE = ("controller", "tests/exhaust", "tests/scenarios")


def code_digest() -> str:
    """What is looked at, and what looks."""
    whole = hashlib.sha256()
    for path in sorted(path for room in CODE for path in (HOUSE / room).rglob("*.py")):
        whole.update(path.read_bytes())
    return whole.hexdigest()[:12]


def read_kept(file: Path) -> list[Looked]:
    """The tables that are done; a line that was cut off is none."""
    lines = file.read_bytes().splitlines() if file.exists() else []
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Looked))
        except msgspec.MsgspecError:
            continue
    return found


def tell(looked: Looked) -> None:
    """What was seen of a table."""
    extent = f"all with {looked.mishaps} mishaps" if looked.whole else "not all: --states allows more"
    print(
        f"{looked.job.table}\n    {looked.states:,} states ({extent}), {looked.events:,} events,"
        f" {looked.seconds:.0f} s of processor time"
    )
    print(f"    the next open round is at most {looked.longest_way_out} keys away", flush=True)


def main() -> int:
    """Print what was seen; an AssertionError says what is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.exhaust", description=__doc__)
    parser.add_argument("--mishaps", type=int, default=3, help="so many things may go wrong [3]")
    parser.add_argument("--states", type=int, default=150_000, help="at most so many states a table [150000]")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--table", type=int, metavar="N", help=f"only the Nth table, 1 to {len(TABLES)}")
    asked = parser.parse_args()
    if asked.table is not None and not 1 <= asked.table <= len(TABLES):
        parser.error(f"--table: there are the tables 1 to {len(TABLES)}")
    tables = TABLES if asked.table is None else TABLES[asked.table - 1 : asked.table]
    jobs = [Job(table, asked.mishaps, asked.states) for table in tables]
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{code_digest()}.jsonl"
    done = [looked for looked in read_kept(file) if looked.job in jobs]
    for looked in done:
        tell(looked)
    open_jobs = [job for job in jobs if job not in [looked.job for looked in done]]
    if open_jobs:
        with get_context("spawn").Pool(min(asked.processes, len(open_jobs))) as pool, file.open("ab") as kept:
            for looked in pool.imap_unordered(one, open_jobs):
                kept.write(msgspec.json.encode(looked) + b"\n")
                kept.flush()
                tell(looked)
                done.append(looked)
    total = sum(looked.states for looked in done)
    print(
        f"{total:,} states: no exception, no invariant broken, a way to the next open round from each of them"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
