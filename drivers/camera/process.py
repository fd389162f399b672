"""The eye as a child process: started with an order, heard line by line, ended for certain."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

from drivers.camera.wire import LONGEST_LINE, Order, line_of
from drivers.errors import why

_CHUNK = 65_536
_LEAVE_S = 1.0
_ROOT = Path(__file__).resolve().parents[2]


class EyeGone(Exception):
    """The process has ended, or does not do what it should; the text says why."""


class Eye:
    """One process at a camera. Not thread-safe, but for `pid`."""

    def __init__(self, order: Order, wake: int) -> None:
        """Start it; `wake` is a descriptor whose readiness ends any waiting. Raises EyeGone."""
        # One thread a library: the table's own work comes first on a small machine.
        single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
        environment = {**os.environ, **single, "OPENCV_LOG_LEVEL": "SILENT", "PYTHONPATH": path}
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-X", "faulthandler", "-m", "drivers.camera.eye"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
            )
        except OSError as problem:
            raise EyeGone(f"the process at the camera cannot be started: {why(problem)}") from problem
        self.pid = self._process.pid
        self._wake = wake
        self._lines: deque[bytes] = deque()
        self._rest = b""
        if self._process.stdin is None or self._process.stdout is None:
            raise EyeGone("the process at the camera has no pipes")
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        with contextlib.suppress(BrokenPipeError):
            self._stdin.write(line_of(order))
            self._stdin.flush()

    def line(self, patience_s: float) -> bytes | None:
        """The next line without its end; None if something else woke us. Raises EyeGone where the process
        ends, or says nothing for so long.
        """
        until = time.monotonic() + patience_s
        while not self._lines:
            left = until - time.monotonic()
            if left <= 0:
                raise EyeGone(f"no picture for {patience_s:g} s")
            ready, _, _ = select.select([self._stdout.fileno(), self._wake], [], [], left)
            if self._wake in ready:
                return None
            if ready:
                self._take(os.read(self._stdout.fileno(), _CHUNK))
        return self._lines.popleft()

    def end(self) -> None:
        """Ask it to leave; kill it where it does not. Returns when it is gone."""
        with contextlib.suppress(BrokenPipeError):
            self._stdin.close()
        try:
            self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._stdout.close()

    def _take(self, chunk: bytes) -> None:
        if not chunk:
            raise EyeGone(self._why_it_ended())
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        self._lines.extend(lines)
        if len(self._rest) > LONGEST_LINE:
            raise EyeGone("the process at the camera says what is no message")

    def _why_it_ended(self) -> str:
        try:
            status = self._process.wait(_LEAVE_S)
        except subprocess.TimeoutExpired:
            return "the process at the camera closed its output"
        if status >= 0:
            return f"the process at the camera left with status {status}"
        with contextlib.suppress(ValueError):
            return f"the process at the camera was ended by {signal.Signals(-status).name}"
        return f"the process at the camera was ended by signal {-status}"
