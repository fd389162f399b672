"""The real program in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HOUSE = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "controller")
PATIENCE_S = 60


def dealer_table(*words: str, asked: str | bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run ``dealer-table words...`` with ``asked`` on standard input; text of both outputs and the status."""
    content = asked.encode() if isinstance(asked, str) else asked
    done = subprocess.run(
        [*PROGRAM, *words], input=content, capture_output=True, timeout=PATIENCE_S, cwd=HOUSE, check=False
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """The program, running, with pipes to all three streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*PROGRAM, *words], stdin=pipe, stdout=pipe, stderr=pipe, cwd=HOUSE)
