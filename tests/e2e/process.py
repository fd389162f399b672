"""The daemon as a process of its own, which a test may kill at any moment and start again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("dealer-table")


class Daemon:
    """``dealer-table run`` on one configuration. Methods may be called from any thread."""

    def __init__(self, configuration: Path, program: Sequence[str | Path] = (PROGRAM,)) -> None:
        self._command = [*program, "run", "--config", configuration]
        self._log = configuration.with_suffix(".log")
        self._guard = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self.generation = 0
        """How many times it was started."""

    def start(self) -> None:
        """Start it; returns at once."""
        with self._guard:
            if self._process is not None:
                raise RuntimeError("the daemon runs already")
            with self._log.open("ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            self.generation += 1

    @property
    def pid(self) -> int:
        """Its process."""
        with self._guard:
            if self._process is None:
                raise RuntimeError("the daemon does not run")
            return self._process.pid

    def kill(self) -> None:
        """kill -9; returns when it is gone."""
        with self._guard:
            process, self._process = self._process, None
            if process is not None:
                process.kill()
                process.wait()

    def restart(self) -> None:
        """kill -9, and start it again at once."""
        with self._guard:
            self.kill()
            self.start()

    def freeze(self) -> None:
        """Stop it where it stands; on return none of its threads moves, until :meth:`thaw`."""
        pid = self._signal(signal.SIGSTOP)
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def thaw(self) -> None:
        """Let it go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> int:
        with self._guard:
            if self._process is None:
                raise RuntimeError("the daemon does not run")
            os.kill(self._process.pid, number)
            return self._process.pid

    def stop(self) -> int:
        """End it as a service manager does; its exit status."""
        with self._guard:
            process, self._process = self._process, None
        if process is None:
            raise RuntimeError("the daemon does not run")
        process.terminate()
        try:
            return process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"the daemon does not end:\n{self.log}") from None

    def wait(self, seconds: float = 60) -> int:
        """Wait until it ends by itself; its exit status."""
        with self._guard:
            process, self._process = self._process, None
        if process is None:
            raise RuntimeError("the daemon does not run")
        return process.wait(seconds)

    def check(self) -> None:
        """Fail where it has ended though nobody ended it."""
        with self._guard:
            if self._process is not None and self._process.poll() is not None:
                raise AssertionError(f"the daemon ended with {self._process.returncode}:\n{self.log}")

    @property
    def log(self) -> str:
        """What it said on standard error, all lives together."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""
