"""``make machine``: what a technician does, on a machine with the package; a table of what was seen.

Kernel, Debian and image are made once and kept in build/machine; what is needed of Debian's packages is
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

from tests.bench.timing import table as drawn
from tests.machine.cuts import cut_again
from tests.machine.image import BUILD, deb, image, install_needed, kernel
from tests.machine.qemu import MachineFailed, acceleration
from tests.machine.table import data_disk, machine_table
from tests.machine.technician import STEPS, Seen
from tests.machine.wear import wear


def main() -> int:
    """1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.machine", description=__doc__)
    parser.add_argument(
        "--only", action="append", choices=tuple(STEPS), help="only these steps, after setup and start"
    )
    parser.add_argument("--package", type=Path, help="another package [that of this working copy]")
    parser.add_argument(
        "--cuts", type=int, help="power cuts instead: until so many are counted, all runs together"
    )
    parser.add_argument("--system", choices=("ext4", "f2fs"), default="ext4", help="of the journal's disk")
    parser.add_argument("--wear", action="store_true", help="what a round writes, instead")
    parser.add_argument("--minutes", type=float, default=600, help="end after the step that is due then")
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that no machine stays behind
    install_needed()
    ends_s = time.monotonic() + chosen.minutes * 60
    made, root = kernel(), image((chosen.package or deb()).absolute())
    print(f"machine: {acceleration(made)}, {root.name}", flush=True)
    if chosen.cuts:
        return cut_again(made, root, chosen.system, chosen.cuts, ends_s)
    if chosen.wear:
        return wear(made, root, chosen.system)
    return technician(made, root, chosen.only, ends_s)


def technician(made: Path, root: Path, only: list[str] | None, ends_s: float) -> int:
    """All steps in order; one that goes wrong ends the run, for those behind it stand on it."""
    folder = BUILD / "technician"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    seen: list[Seen] = []
    with machine_table(folder, made, root, data_disk(folder / "data.raw"), Random(1)) as table:
        table.daemon.boot()
        table.plug_in()
        seen.append(Seen("boot", "systemd is up", "", table.daemon.boot_s[0]))
        for name, step in STEPS.items():
            if only and name not in (*only, "setup", "start"):
                continue
            if time.monotonic() > ends_s or seen[-1].wrong:
                break
            begun_s, told, wrong = time.monotonic(), "", ""
            try:
                told = step(table)
            except (AssertionError, MachineFailed) as failed:
                wrong = str(failed)
            seen.append(Seen(name, told, wrong, time.monotonic() - begun_s))
            print(f"{name}: {told or 'WRONG: ' + wrong}", flush=True)
        if seen[-1].wrong:
            print(
                table.daemon.sh("journalctl -b --no-pager -n 60 -u 'dealer-table*'; dmesg | tail -n 20").out
            )
    rows = [
        (one.step, one.seen or one.wrong[:100], "0" if not one.wrong else "1", f"{one.seconds:.0f}")
        for one in seen
    ]
    print("\n" + drawn(("what was done", "what was seen", "wrong", "s"), rows), flush=True)
    return int(bool(seen[-1].wrong))


if __name__ == "__main__":
    sys.exit(main())
