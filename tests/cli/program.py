"""The real program in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.harness.patience import PATIENCE_S

HOUSE = Path(__file__).resolve().parents[2]
PROGRAM = (sys.executable, "-m", "controller")


class Said(NamedTuple):
    """What a call says."""

    out: str
    err: str


Told = Callable[..., Said]


def dealer_table(
    *words: str, asked: str | bytes = b"", before: Sequence[str] = (), **more: str
) -> subprocess.CompletedProcess[str]:
    """Run ``dealer-table words...`` with ``asked`` on standard input; text of both outputs and the status.

    ``before``: words in front of the call; ``more``: variables of its surroundings. No call fails with a
    traceback.
    """
    content = asked.encode() if isinstance(asked, str) else asked
    done = subprocess.run(
        [*before, *PROGRAM, *words],
        input=content,
        capture_output=True,
        timeout=PATIENCE_S,
        cwd=HOUSE,
        env=os.environ | more,
        check=False,
    )
    told, complaint = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in complaint, complaint
    return subprocess.CompletedProcess(done.args, done.returncode, told, complaint)


def refused(*words: str) -> str:
    """What the program says on standard error, and on nothing else, to a wrong call."""
    done = dealer_table(*words)
    assert (done.returncode, done.stdout) == (2, "")
    return done.stderr


KEPT_WAITING = re.compile(r"^shoe reports a fault: the record has its words\n", re.MULTILINE)
"""A shoe of software that a starved machine keeps waiting, once: it is in the record, and no complaint."""


def answered(*words: str, asked: str | bytes = b"") -> str:
    """What the program answers to a call that is right, without a complaint."""
    done = dealer_table(*words, asked=asked)
    complaint = KEPT_WAITING.sub("", done.stderr, count=1) if words[0] == "demo" else done.stderr
    assert (done.returncode, complaint) == (0, "")
    return done.stdout


def started(words: Sequence[str]) -> subprocess.Popen[bytes]:
    """The program, running, with pipes to all three streams."""
    pipe = subprocess.PIPE
    return subprocess.Popen([*PROGRAM, *words], stdin=pipe, stdout=pipe, stderr=pipe, cwd=HOUSE)
