"""A demo that is killed leaves nothing behind: a process beside it ends its programs, removes its folder.

``python -m controller.demo.leftovers [FOLDER]`` reads the numbers of the programs from its standard input,
and acts when that ends, as it does when the demo is killed.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self


class Leftovers:
    """The process that waits; as a context it ends with what it was made for."""

    def __init__(self, folder: Path | None) -> None:
        """``folder`` goes with the demo; None: it is kept."""
        folders = [] if folder is None else [str(folder)]
        self._waiting = subprocess.Popen(
            [sys.executable, "-m", "controller.demo.leftovers", *folders],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C, and whatever ends a group of processes, is not for it
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError):
            self._waiting.communicate()

    def watch(self, pid: int) -> None:
        """This program of ours ends with us."""
        if self._waiting.stdin is not None:
            with contextlib.suppress(OSError):  # somebody has ended it: then nobody tidies up
                self._waiting.stdin.write(b"%d\n" % pid)
                self._waiting.stdin.flush()


def wait_and_tidy(folder: Path | None) -> None:
    """Until standard input ends; then end each program that was named there, and remove the folder."""
    programs = []
    for line in sys.stdin:
        with contextlib.suppress(OSError):  # it has ended already
            programs.append(os.pidfd_open(int(line)))
    for program in programs:
        with contextlib.suppress(OSError):
            signal.pidfd_send_signal(program, signal.SIGKILL)
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    wait_and_tidy(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
