"""``make floor``: a thousand tables, a broker, a recorder with a second one waiting, PostgreSQL with a
synchronous standby, and all of them killed at random: lost, reordered, doubled and broken are counted.

One stage after the other; what a stage has found stands in ``build/floor.json``, and a run goes on with the
first stage that is not there. ``--anew`` begins again.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.timing import table
from tests.floor.stages import STAGES, Chosen

FILE = Path("build/floor.json")
HEADER: tuple[str, ...] = ("stage", "tables", "rounds/h", "minutes", "messages", "a second")
HEADER += (
    "killed: broker",
    "recorder",
    "primary",
    "daemon",
    "lost",
    "reordered",
    "doubled",
    "broken",
    "load",
)


def earlier() -> dict[str, dict[str, object]]:
    """What the stages that are done have found."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def main() -> int:
    """Each stage that was not run; 1 where anything was lost, reordered, doubled or broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.floor", description=__doc__)
    parser.add_argument("--tables", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=20, help="of each stage [%(default)s]")
    parser.add_argument("--daemons", type=int, default=4, help="real ones on the same floor [%(default)s]")
    parser.add_argument("--backlog", type=float, default=60, help="minutes of play to catch up [%(default)s]")
    parser.add_argument("--every", type=float, default=20, help="seconds between two kills, on average")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="[the time]")
    parser.add_argument("--stage", choices=STAGES, action="append", help="only this one, again")
    parser.add_argument("--anew", action="store_true", help="forget what earlier runs have found")
    given = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: sys.exit("stopped; the next run goes on with this stage"))
    if given.anew:
        FILE.unlink(missing_ok=True)
    found = earlier()
    wrong = 0
    for name in given.stage or [name for name in STAGES if name not in found]:
        chosen = Chosen(given.tables, given.minutes, given.daemons, given.backlog, given.every, given.seed)
        print(f"{name} ...", file=sys.stderr, flush=True)
        folder = Path(tempfile.mkdtemp(prefix="dealer-table-floor-"))
        try:
            told = STAGES[name](folder, chosen)
        except BaseException:
            print(f"what everybody said is in {folder}", file=sys.stderr, flush=True)
            raise
        shutil.rmtree(folder)
        wrong += not told.well
        found = earlier()  # another stage may have ended beside this one
        found[name] = {**told.figures(), "load": round(os.getloadavg()[0], 1)}
        FILE.parent.mkdir(exist_ok=True)
        FILE.write_text(json.dumps(found, indent=1))
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    rows = [(name, *(str(figures.get(head, "")) for head in HEADER[1:])) for name, figures in found.items()]
    print(table(HEADER, [row for row in rows if any(row[1:-1])]))
    for name, figures in found.items():
        if "wrong rights" in figures:
            print(f"{name}: {figures['roles x topics']} tried, wrong: {figures['wrong rights'] or 'none'}")
        if "lacks" in figures:
            print(f"{name}: it lacks {', '.join(figures['lacks'])}")  # type: ignore[arg-type]
        if "ratio" in figures:
            print(
                f"{name}: {figures['backlog']} messages; the recorder {figures['ours a second']} a second,"
                f" a plain aiomqtt and psycopg that commits each {figures['plain a second']}:"
                f" {figures['ratio']} times"
            )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
