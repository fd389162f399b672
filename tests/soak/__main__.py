"""``make soak``: 24 simulated hours at a table; status 1 where something grew that should not."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from tests.soak.run import SEED, grown, run


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
