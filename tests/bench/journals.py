"""``python -m tests.bench.journals``: the time of ``verify``, ``export`` and ``replay``, and their memory.

Two journals of real rounds of each game, one four times as long as the other; processor time, and the most
memory of the whole process. ``python -m tests.journal.played`` makes longer ones.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.timing import Grown, Mark, in_words, limit, part_arguments, told
from tests.journal.played import GAMES, play

SHORT, LONG = 500, 2000
"""Rounds."""
COMMANDS = ("verify", "export", "replay")
MOST_VERIFY_S = 60 / 20_000
"""For each round: 20,000 in a minute."""
MOST_GROWTH = 1.05
KIB = 1024
PROGRAM = """
import re, sys, time
from controller.__main__ import main
status = main(sys.argv[1:])
(most,) = re.findall(r"VmHWM:\\s*(\\d+)", open("/proc/self/status").read())
print(time.process_time(), most, file=sys.stderr)
sys.exit(status)
"""
"""The child says its own memory: ``wait4`` would count what its parent occupied, too."""


def cost(command: str, journal: Path) -> tuple[float, float]:
    """Seconds of processor time, and the most MiB."""
    process = subprocess.run(
        [sys.executable, "-c", PROGRAM, command, str(journal)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    took_s, kib = process.stderr.split()
    return float(took_s), int(kib) / KIB


def main() -> int:
    """Measure, print, and say whether every mark was reached."""
    chosen = part_arguments("journals", __doc__).parse_args()
    marks: list[Mark] = []
    rows: list[tuple[str, ...]] = []
    for game in GAMES:
        with TemporaryDirectory() as short, TemporaryDirectory() as long:
            journals = play(Path(short), game, SHORT), play(Path(long), game, LONG)
            for command in COMMANDS:
                (took, occupied), (longer, more) = (cost(command, journal) for journal in journals)
                a_round = (longer - took) / (LONG - SHORT)
                rows.append((game, command, in_words(a_round), f"{occupied:.0f} MiB", f"{more:.0f} MiB"))
                what = f"{game}: memory of {command}, {LONG} rounds to {SHORT}"
                marks.append(
                    Mark(what, f"{more:.1f} MiB", f"{occupied:.1f} MiB", more / occupied, MOST_GROWTH, False)
                )
                if command == "verify":
                    marks.append(limit(f"{game}: verify a round", a_round, MOST_VERIFY_S, in_words))
    head = ("game", "command", "a round", f"{SHORT} rounds", f"{LONG} rounds")
    return told(chosen.json, marks, [Grown("journals: processor time and memory", head, rows)])


if __name__ == "__main__":
    raise SystemExit(main())
