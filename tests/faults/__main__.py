"""``make faults``: the fault loop at full length on all four games, one table of figures, and why it ended.

The loop runs in a process of its own, and this one watches it: however it ends, the last line says why, and
the exit status is 0 only where every game was dealt to its end and nothing was lost, reordered, doubled or
wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from tests.bench.timing import table
from tests.faults.loop import Figures, fault_loop
from tests.harness.deals import DEALS
from tests.harness.proxy import FAULTS

KILLS = 76
"""Of each victim in each of the four games: 304 in all."""
INFLICTED = 30
"""Of each fault of the network in each game."""
LONGEST_MIN = 60
HEADER: tuple[str, ...] = (
    "game",
    "rounds",
    "results",
    "voids",
    "messages",
    "killed: daemon",
    "broker",
    "consumer",
)
HEADER += (*FAULTS, "came again", "lost", "out of order", "duplicated", "wrong", "s")


def main() -> int:
    """Watch over the loop, and say how it ended."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS, help="of each victim in each game [%(default)s]")
    parser.add_argument("--faults", type=int, default=INFLICTED, help="of each kind in each game")
    parser.add_argument(
        "--tls",
        action="store_true",
        help="as on a floor: the shipped broker configuration and ACL, certificates on both sides, passwords",
    )
    parser.add_argument("--game", choices=[deal.game for deal in DEALS], help="only this one")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="[the time]")
    parser.add_argument("--minutes", type=float, default=LONGEST_MIN, help="no run may take longer")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, too")
    parser.add_argument("--watched", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.watched:
        return deal_all(chosen)
    given = [*sys.argv[1:], "--watched", "--seed", str(chosen.seed)]
    loop = subprocess.Popen([sys.executable, "-m", "tests.faults", *given])
    asked: list[int] = []

    def end(number: int, _frame: object) -> None:
        asked.append(number)
        loop.terminate()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, end)
    try:
        status = loop.wait(chosen.minutes * 60)
    except subprocess.TimeoutExpired:
        loop.send_signal(signal.SIGABRT)  # faulthandler says where it stands
        loop.wait()
        status, why = 1, f"it took longer than {chosen.minutes} minutes"
    else:
        why = reason(status, asked)
    print(f"ended: {why} (seed {chosen.seed})", flush=True)
    return 0 if status == 0 else 1


def reason(status: int, asked: list[int]) -> str:
    """Why the loop is over, in words."""
    if asked:
        return f"somebody sent {signal.Signals(asked[0]).name}"
    if status < 0:
        name = signal.Signals(-status).name
        return f"the loop was killed by {name}" + (", perhaps for memory" if status == -9 else "")
    words = {0: "every game was dealt to its end, nothing lost", 1: "a finding, see above"}
    return words.get(status, f"the loop ended with status {status}")


def deal_all(chosen: argparse.Namespace) -> int:
    """Every game in turn; the table at the end, whatever happened."""
    faulthandler.enable()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    done: list[Figures] = []
    failed = 0
    way = "over TLS" if chosen.tls else "in plain text"
    print(f"seed {chosen.seed}, {way}, {machine()}, load {os.getloadavg()[0]:.1f}", flush=True)
    try:
        for deal in DEALS:
            if chosen.game not in (None, deal.game):
                continue
            with tempfile.TemporaryDirectory(prefix="dealer-table-faults-") as folder:
                try:
                    done.append(
                        fault_loop(
                            Path(folder),
                            deal,
                            chosen.seed,
                            kills=chosen.kills,
                            faults=chosen.faults,
                            tls=chosen.tls,
                            progress=lambda said: print(said, flush=True),
                        )
                    )
                except Exception as error:
                    failed += 1
                    print(f"{deal.game}: {type(error).__name__}: {error}", flush=True)
                    threads = ", ".join(sorted(thread.name for thread in threading.enumerate()))
                    print(f"threads: {threads}", flush=True)
    finally:
        print("\n" + table(HEADER, [*map(row, done), row(total(done))]), flush=True)
        for figures in done:
            for complaint in figures.complaints:
                print(f"{figures.game}: {complaint}", flush=True)
        if chosen.json:
            chosen.json.write_text(json.dumps([vars(figures) for figures in done], indent=2) + "\n")
    return 0 if not failed and all(figures.clean for figures in done) else 1


def total(done: list[Figures]) -> Figures:
    """All games together."""
    whole = Figures("all", 0)
    for figures in done:
        for name, value in vars(figures).items():
            before = getattr(whole, name)
            if isinstance(value, dict):
                setattr(whole, name, {key: before[key] + times for key, times in value.items()})
            elif isinstance(value, int | float) and name != "seed":
                setattr(whole, name, before + value)
    return whole


def row(figures: Figures) -> tuple[str, ...]:
    """The cells of the table."""
    cells = [figures.game, figures.rounds, figures.results, figures.voids, figures.messages]
    cells += [*figures.kills.values(), *figures.faults.values(), figures.repeats, figures.lost]
    cells += [figures.out_of_order, figures.duplicated, figures.wrong, round(figures.seconds)]
    return tuple(str(cell) for cell in cells)


def machine() -> str:
    """What this ran on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}"


if __name__ == "__main__":
    raise SystemExit(main())
