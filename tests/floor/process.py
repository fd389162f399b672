"""The process of the simulated tables: started, told to end, and what it says."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

EPOCH = 1_700_000_000_000
STUCK_S = 300.0
"""So long nothing at all may be acknowledged."""


class Tables:
    """The process of the simulated tables."""

    def __init__(self, folder: Path, module: str, words: list[str]) -> None:
        self._ends = folder / "ends.json"
        self._ends.unlink(missing_ok=True)
        self._log = folder / "tables.log"
        command = [sys.executable, "-m", module, "--epoch", str(EPOCH), "--ends", str(self._ends), *words]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)

    @property
    def last(self) -> dict[str, int]:
        """What it said last."""
        begins = ('{"said"', '{"ready"')
        lines = [line for line in self._log.read_text().splitlines() if line.startswith(begins)]
        return json.loads(lines[-1]) if lines else {}

    def wait_ready(self) -> None:
        """Until it has made what it says and begins, or has said something."""
        while not self.last:
            self.check()
            time.sleep(0.2)

    def check(self) -> None:
        if self._process.poll() is not None and not self._ends.exists():
            raise AssertionError(f"the tables ended:\n{self._log.read_text()[-3000:]}")

    def drain(self, step: Callable[[], None] = lambda: None) -> dict[str, tuple[int, str]]:
        """Nothing more is said; returns when all is acknowledged: where each stream ended. What they
        have written counts, whether they take long to be gone or not."""
        self._process.send_signal(signal.SIGTERM)
        last, end_s = self.last, time.monotonic() + STUCK_S
        while not self._ends.exists():
            self.check()
            if self.last.get("pending") != last.get("pending"):
                last, end_s = self.last, time.monotonic() + STUCK_S
            if time.monotonic() > end_s:
                raise AssertionError(f"nothing was acknowledged for {STUCK_S} s: {self.last}")
            step()
            time.sleep(0.2)
        self.kill()
        return {name: (count, hash_) for name, (count, hash_) in json.loads(self._ends.read_text()).items()}

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
