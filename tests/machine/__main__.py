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
from tests.machine.qemu import MachineFailed, acceleration
from tests.machine.table import data_disk, machine_table
from tests.machine.technician import FIRST, STEPS
from tests.machine.wear import wear


def main() -> int:
    """1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=tuple(STEPS), help="these steps [all that have not gone well yet]"
    )
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
    made = kernel()
    root = image((chosen.package or deb()).absolute(), made)
    print(f"machine: {acceleration(made)}, {root.name}", flush=True)
    if chosen.cuts:
        return cut_again(made, root, chosen.system, chosen.cuts, ends_s)
    if chosen.wear:
        return wear(made, root, chosen.system)
    return technician(made, root, chosen.only, ends_s)


def technician(made: Kernel, root: Path, only: list[str] | None, ends_s: float) -> int:
    """The steps that are due, in order, each after setup and start; one that goes wrong ends the run, and is
    tried again by the next.
    """
    folder, kept = BUILD / "technician", BUILD / "steps.json"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    done = Progress.kept(kept, root.with_name(f"{root.name}.made-of").read_text())
    due = [name for name in STEPS if (name in only if only else done.is_due(name))]
    steps = [name for name in STEPS if name in (*due, *FIRST)] if due else []
    with machine_table(folder, made, root, data_disk(folder / "data.raw"), Random(1)) as table:
        for name in steps:
            if time.monotonic() > ends_s:
                break
            begun_s, seen, wrong = time.monotonic(), "", False
            try:
                seen = STEPS[name](table)
            except (AssertionError, MachineFailed) as failed:
                seen, wrong = str(failed), True
            took_s = time.monotonic() - begun_s
            done.note(name, seen.splitlines()[0][:100], took_s, lost=unheard(table), wrong=wrong)
            done.keep(kept)
            print(f"{name}: {'WRONG: ' * wrong}{seen}", flush=True)
            if wrong:
                table.tell()
                break
    print("\n" + done.table(), flush=True)
    return int(not done.clean)


if __name__ == "__main__":
    sys.exit(main())
