"""Programs as processes of their own, which a test may kill at any moment and start again."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Self

from tests.harness.keys import as_hashed
from tests.harness.patience import PATIENCE_S, Patience

HOUSE = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.executable).with_name("dealer-table")


def resident_mb(pid: int | str = "self") -> float:
    """Memory of a process that is in use now, MB of 1,000,000 bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 / 1e6 for line in lines if line.startswith("VmRSS"))


def descriptors(pid: int | str = "self") -> int:
    """Open files of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


def until(
    so: Callable[[], object],
    what: Callable[[], object] | str = "",
    step: Callable[[], object] = lambda: time.sleep(0.01),
) -> None:
    """Do a step, again and again, until it is so. An AssertionError, which says what, where that takes too
    long."""
    patience = Patience()
    while not so():
        if patience.over:
            raise AssertionError(f"it never is so: {what if isinstance(what, str) else what()}")
        step()


def comes(reading: Callable[[], object], expected: object) -> None:
    """Read what moves, again and again, until it is this. An AssertionError with both where it never is."""
    seen: object = None

    def so() -> bool:
        nonlocal seen
        seen = reading()
        return seen == expected

    until(so, lambda: f"{seen!r} is not {expected!r}")


class Program:
    """A program and all its lives, which add to the same outputs. Methods may be called from any thread."""

    def __init__(self, command: Sequence[object], log: Path, stdin: Path = Path(os.devnull)) -> None:
        """``log`` gets its standard error, and the file beside it with ``.out`` its standard output."""
        self._command = [str(word) for word in command]
        self._log, self._printed, self._stdin = log, log.with_suffix(".out"), stdin
        self._guard = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self.generation = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start it; returns at once."""
        with (
            self._guard,
            self._log.open("ab") as log,
            self._printed.open("ab") as printed,
            self._stdin.open("rb") as given,
        ):
            if self._process is not None:
                raise RuntimeError(f"{self._command} runs already")
            self._process = subprocess.Popen(
                self._command, stdin=given, stdout=printed, stderr=log, cwd=HOUSE
            )
            self.generation += 1

    @property
    def running(self) -> subprocess.Popen[bytes]:
        """Its process; a RuntimeError where it has none."""
        with self._guard:
            if self._process is None:
                raise RuntimeError(f"{self._command} does not run")
            return self._process

    @property
    def pid(self) -> int:
        return self.running.pid

    def kill(self) -> None:
        """kill -9; returns when it is gone. Does nothing where it does not run."""
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
        """Stop it where it is; on return none of its threads moves, until :meth:`thaw`."""
        with self._guard:
            os.kill(self.pid, signal.SIGSTOP)
            pid = self.pid
        os.waitid(os.P_PID, pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def thaw(self) -> None:
        with self._guard:
            os.kill(self.pid, signal.SIGCONT)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End it, as a service manager does where nothing else is said; its exit status."""
        self.running.send_signal(how)
        return self.wait()

    def wait(self, seconds: float = PATIENCE_S) -> int:
        """Wait until it ends; its exit status. An AssertionError where it does not."""
        with self._guard:
            process, self._process = self.running, None
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise AssertionError(f"{self._command} does not end:\n{self.log}") from None

    def check(self) -> None:
        """Fail where it has ended though nobody ended it."""
        with self._guard:
            if self._process is not None and self._process.poll() is not None:
                raise AssertionError(f"ended with {self._process.returncode}:\n{self.log}")

    def until(self, so: Callable[[], bool], what: str, look_s: float = 0.01) -> None:
        """Look again and again until it is so; fail where that takes too long, or where the program ended."""

        def look() -> None:
            self.check()
            time.sleep(look_s)

        until(so, lambda: f"{what}\n{self.log}", look)

    def wait_printed(self, words: str, after: int = 0) -> None:
        """Wait until it has printed this, behind so many characters."""
        self.until(lambda: words in self.printed[after:], words)

    @property
    def log(self) -> str:
        """What it said on standard error, all lives together."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    @property
    def printed(self) -> str:
        """What it said on standard output, all lives together."""
        return self._printed.read_text(errors="replace") if self._printed.exists() else ""


class Daemon(Program):
    """``dealer-table run`` on one configuration."""

    def __init__(self, configuration: Path, program: Sequence[str | Path] = (PROGRAM,)) -> None:
        super().__init__([*program, "run", "--config", configuration], configuration.with_suffix(".log"))


class Consumer(Program):
    """``dealer-table consume`` of table north/7, which keeps what it takes in a file."""

    NAME = "settlement"

    def __init__(self, folder: Path, port: int, login: Sequence[str | Path] = ()) -> None:
        self.file = folder / "settlement.db"
        words = ["--name", self.NAME, "--site", "north", "--table", "7", "--port", port, *login]
        super().__init__([PROGRAM, "consume", *words, "--file", self.file], folder / "settlement.log")
        self._printed_before = 0

    def start(self) -> None:
        self._printed_before = self._printed.stat().st_size if self._printed.exists() else 0
        super().start()

    @property
    def has_taken(self) -> bool:
        """Whether this life of it has taken a message."""
        return self._printed.stat().st_size > self._printed_before

    def kept(self) -> list[bytes]:
        """The messages in its file as they are hashed, in order of sequence."""
        return [
            as_hashed(body) for (body,) in self._read("SELECT body FROM messages ORDER BY epoch, sequence")
        ]

    def cursor(self) -> int:
        """Sequence of the last message in its file."""
        if not self.file.exists():
            return 0
        try:
            [(last,)] = self._read("SELECT max(sequence) FROM messages")
        except sqlite3.OperationalError:
            return 0  # it has been killed before it made its tables
        return last or 0

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        with closing(
            sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=PATIENCE_S)
        ) as connection:
            return connection.execute(query).fetchall()

    def told(self) -> list[int]:
        """The sequences that it has told as new, all lives together, in order of time."""
        lines = self._printed.read_bytes().split(b"\n")
        return [json.loads(line)["sequence"] for line in lines if line.endswith(b"}")]
