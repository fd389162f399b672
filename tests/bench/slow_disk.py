"""``python -m tests.bench.slow_disk MS run --config FILE``: the program on a disk with syncs so slow."""

from __future__ import annotations

import sys
import time

from tests.faults.disk import OK, Call, Disk, sqlite_on


class SlowDisk(Disk):
    """As a card in a card slot: each sync takes its time, whatever lies behind it.

    A write costs what it costs on the real disk.
    """

    watches = frozenset({"sync"})

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    def before(self, call: Call) -> int:
        if self._seconds:
            time.sleep(self._seconds)
        return OK


def main() -> int:
    """The program on such a disk."""
    from controller.__main__ import main as program

    with sqlite_on(SlowDisk(float(sys.argv[1]) / 1000)):
        return program(sys.argv[2:])


if __name__ == "__main__":
    raise SystemExit(main())
