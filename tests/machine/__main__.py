"""``make machine``: what a technician does, on a machine with the package; a table of what was seen.

A run goes on with the steps that have not gone well yet, and what went wrong once stays in the table. Kernel,
Debian and image are made once and kept in build/machine; what is needed of Debian's packages is
installed.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import time
from pathlib import Path
from random import Random

from tests.machine.cuts import cut_again
from tests.machine.image import deb, image
from tests.machine.kernel import Kernel, kernel
from tests.machine.looking import unheard
from tests.machine.parts import BUILD, install_needed
from tests.machine.progress import Progress
from tests.machine.qemu import acceleration
from tests.machine.steps import FIRST, SLICE, STEPS, UPGRADE, Step, Steps
from tests.machine.table import MachineTable, data_disk, machine_table
from tests.machine.upgrade import package_before
from tests.machine.wear import wear

KEPT = BUILD / "steps.json"


def main() -> int:
    """1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument(
        "--only",
        action="append",
        choices=tuple({**STEPS, **UPGRADE}),
        help="these steps [all that have not gone well yet]",
    )
    parser.add_argument("--slice", action="store_true", help=f"only {', '.join(SLICE)}: ten minutes")
    parser.add_argument("--package", type=Path, help="another package [that of this working copy]")
    parser.add_argument(
        "--cuts", type=int, help="power cuts instead: until so many are counted, all runs together"
    )
    parser.add_argument("--system", choices=("ext4", "f2fs"), default="ext4", help="of the journal's disk")
    parser.add_argument("--wear", action="store_true", help="what a round writes, instead")
    parser.add_argument("--minutes", type=float, default=600, help="end after the step that is due then")
    parser.add_argument("--anew", action="store_true", help="forget what earlier runs have seen")
    chosen = parser.parse_args()
    if chosen.anew:
        for kept in BUILD.glob("*.json"):
            kept.unlink()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no machine stays behind
    install_needed()
    ends_s = time.monotonic() + chosen.minutes * 60
    made, package = kernel(), (chosen.package or deb()).absolute()
    root = image(package, made)
    print(f"machine: {acceleration(made)}, {root.name}", flush=True)
    if chosen.cuts:
        return cut_again(made, root, chosen.system, chosen.cuts, ends_s)
    if chosen.wear:
        return wear(made, root, chosen.system)
    done = Progress.kept(KEPT, root.with_name(f"{root.name}.made-of").read_text())
    only = list(SLICE) if chosen.slice else chosen.only
    do_all(made, root, to_do(STEPS, only, done), done, ends_s)
    if due := to_do({name: step for name, step in UPGRADE.items() if name not in STEPS}, only, done):
        before = package_before()
        do_all(made, image(before, made), {**FIRST, **due}, done, ends_s, (before, package))
    print("\n" + done.table(), flush=True)
    return int(not done.clean)


def to_do(steps: Steps, only: list[str] | None, done: Progress) -> Steps:
    """Those that are due, after the first ones."""
    due = [name for name in steps if (name in only if only else done.is_due(name))]
    return {name: step for name, step in steps.items() if name in due or name in FIRST} if due else {}


def do_all(
    made: Kernel, root: Path, steps: Steps, done: Progress, ends_s: float, packages: tuple[Path, ...] = ()
) -> None:
    """Do the steps in order; behind one that goes wrong a new machine goes on with the others."""
    while steps and time.monotonic() < ends_s:
        steps = technician(made, root, steps, done, ends_s, packages)


def technician(
    made: Kernel, root: Path, steps: Steps, done: Progress, ends_s: float, packages: tuple[Path, ...]
) -> Steps:
    """Do the steps on one machine, to the end or to one that goes wrong; what there is for a next machine."""
    folder = BUILD / "technician"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    left = dict(steps)
    with machine_table(folder, made, root, data_disk(folder / "data.raw"), Random(1)) as table:
        table.packages = packages
        for name, step in steps.items():
            if time.monotonic() > ends_s:
                break
            del left[name]
            if not did(table, name, step, done):
                return {**FIRST, **left} if left and not FIRST.keys() & {name, *left} else {}
    return {}


def did(table: MachineTable, name: str, step: Step, done: Progress) -> bool:
    """Do one step, and keep what was seen; whether it went well."""
    begun_s, seen, wrong = time.monotonic(), "", False
    try:
        seen = step(table)
    except Exception as failed:  # whatever it is, the other steps are done
        seen, wrong = str(failed) or repr(failed), True
    took_s = time.monotonic() - begun_s
    done.note(name, seen.splitlines()[0][:100], took_s, lost=unheard(table), wrong=wrong)
    done.keep(KEPT)
    print(f"{name}: {'WRONG: ' * wrong}{seen}", flush=True)
    if wrong:
        table.tell()
    return not wrong


if __name__ == "__main__":
    sys.exit(main())
