"""``python -m tests.bench [PART ...] [--json FILE]``: every mark in one run, from the repository's root.

A part is a module beside this one that takes ``part_arguments``; each runs in a process of its own, one after
the other, and writes its marks there. Only ratios carry over to another machine, and only from a quiet one:
the load stands beside them. Exit status 1 where a mark is missed, 2 where a part could not be run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec import convert

from tests.bench.timing import HEAD, Grown, Mark, table

FOLDER = Path(__file__).parent
BUILD = Path("build/bench.json")

Command = Sequence[str]


def parts() -> dict[str, Command]:
    """Every module of this folder that writes marks, and how to call it."""
    found = [path.stem for path in sorted(FOLDER.glob("[!_]*.py")) if "= part_arguments(" in path.read_text()]
    return {name: (sys.executable, "-m", f"tests.bench.{name}") for name in found}


def join(commands: Mapping[str, Command]) -> tuple[dict[str, Any], dict[str, str]]:
    """Run the parts: what each wrote, and why another wrote nothing."""
    wrote, failed = {}, {}
    with tempfile.TemporaryDirectory(prefix="dealer-table-bench-") as folder:
        for name, command in commands.items():
            file = Path(folder) / f"{name}.json"
            print(f"{name} ...", file=sys.stderr, flush=True)
            load = os.getloadavg()[0]
            run = subprocess.run([*command, "--json", str(file)], capture_output=True, text=True)
            if file.exists():
                wrote[name] = {"load": round(load, 1), **json.loads(file.read_text())}
            else:
                said = (run.stderr or run.stdout).strip().splitlines()
                failed[name] = said[-1] if said else f"status {run.returncode}"
    return wrote, failed


def show(wrote: Mapping[str, Any], failed: Mapping[str, str]) -> None:
    """A table for people."""
    rows = [(name, *convert(mark, Mark).row()) for name, part in wrote.items() for mark in part["marks"]]
    print(table(("part", *HEAD), rows))
    for part in wrote.values():
        print(*convert(part["tables"], list[Grown]), sep="\n")
    print(
        "\nload when each part began: " + ", ".join(f"{name} {part['load']}" for name, part in wrote.items())
    )
    for name, why in failed.items():
        print(f"{name} could not be run: {why}")


def machine() -> dict[str, object]:
    """What it was measured on."""
    return {"machine": platform.machine(), "processors": os.cpu_count(), "python": platform.python_version()}


def main(commands: Mapping[str, Command] | None = None, arguments: Sequence[str] | None = None) -> int:
    """Run, print, write."""
    commands = parts() if commands is None else commands
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("part", nargs="*", help=f"only these of {', '.join(commands)}")
    parser.add_argument("--json", type=Path, default=BUILD, metavar="FILE", help=f"[{BUILD}]")
    chosen = parser.parse_args(arguments)
    if unknown := [name for name in chosen.part if name not in commands]:
        parser.error(f"there is no part {unknown[0]}; there are {', '.join(commands)}")
    wrote, failed = join({name: commands[name] for name in chosen.part or commands})
    show(wrote, failed)
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    answer = {"machine": machine(), "parts": wrote, "failed": failed}
    chosen.json.write_text(json.dumps(answer, indent=2) + "\n")
    reached = all(mark["reached"] for part in wrote.values() for mark in part["marks"])
    return 2 if failed else 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
