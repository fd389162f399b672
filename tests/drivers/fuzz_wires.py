"""A long fuzz of every wire: ``python -m tests.drivers.fuzz_wires [--inputs N] [--minutes M] [--seed S]
[--wire NAME]``, a million inputs for each wire unless told; ``--minutes`` ends each wire after so long.

No exception may come out, no byte and no message may be lost, and no card may be read that was not sent. What
is found is printed as the smallest input that shows it; it becomes a test, and is mended.
"""

from __future__ import annotations

import argparse
import math
import random
import secrets
import sys
import time

from tests.drivers.fuzzed import WIRES
from tests.drivers.guided import Exploration, Found

AT_ONCE = 5_000


def main() -> int:
    """Fuzz, and say how much of each wire was seen; 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.drivers.fuzz_wires", description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000_000, metavar="N", help="for each wire")
    parser.add_argument("--minutes", type=float, default=math.inf, metavar="M", help="for each wire, at most")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), help="a fresh one unless said")
    parser.add_argument("--wire", choices=[wire.name for wire in WIRES], help="only this one")
    chosen = parser.parse_args()
    print(f"seed {chosen.seed}")
    found = 0
    for wire in WIRES:
        if chosen.wire in (None, wire.name):
            run, began = Exploration(wire, random.Random(f"{chosen.seed}-{wire.name}")), time.monotonic()
            try:
                while run.tried < chosen.inputs and time.monotonic() - began < chosen.minutes * 60:
                    run.go_on(min(AT_ONCE, chosen.inputs - run.tried))
            except Found as problem:
                found += 1
                print(problem, file=sys.stderr)
            took_s = time.monotonic() - began
            print(
                f"{wire.name}: {run.tried} inputs in {took_s:.0f} s, {run.known} steps, {len(run.kept)} kept",
                flush=True,
            )
    print(f"{found} found" if found else "no exception, nothing lost, no card that was not sent")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
