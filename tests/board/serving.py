"""The board as people start it: ``dealer-table board`` in a process of its own."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import urllib.error
import urllib.request

START_TIMEOUT_S = 20


class BoardProcess:
    """A board on a port of its own, which it keeps over restarts."""

    def __init__(self, broker_port: int | None, port: int, *options: str) -> None:
        """``broker_port`` None: the options say whom it hears."""
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        heard = [] if broker_port is None else [f"--mqtt-port={broker_port}"]
        self._options = [*heard, f"--port={port}", *options]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start and return when it says where it is."""
        process = subprocess.Popen(
            [sys.executable, "-m", "controller", "board", *self._options], stdout=subprocess.PIPE, text=True
        )
        if process.stdout is None:
            raise RuntimeError("a board without output")
        line = process.stdout.readline()
        if self.url not in line:
            process.kill()
            process.wait()
            raise RuntimeError(f"the board does not start: {line!r}")
        self._process = process

    @property
    def pid(self) -> int:
        """Its process."""
        if self._process is None:
            raise RuntimeError("the board does not run")
        return self._process.pid

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int | None:
        """End it; its exit status."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.send_signal(how)
        try:
            return process.wait(10)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            if process.stdout is not None:
                process.stdout.close()

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Status, headers (lower case) and body of an address."""
        request = urllib.request.Request(self.url + path)
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                headers = {name.lower(): value for name, value in answer.headers.items()}
                return answer.status, headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return (
                    error.code,
                    {name.lower(): value for name, value in error.headers.items()},
                    error.read(),
                )
