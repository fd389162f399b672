"""A table's memory stays where it is, unless a limit would cost it the memory that it needs later."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.harness.patience import PATIENCE_S

HELD = """\
import resource, sys
from controller.shell.memory import hold_memory
resource.getrlimit = lambda _: (int(sys.argv[1]),) * 2  # root's own needs no limit to be raised
held = hold_memory()
more = b"x" * (64 << 20)
(locked,) = [line.split()[1] for line in open("/proc/self/status") if line.startswith("VmLck")]
print(held, int(locked) > 64 << 10)
"""


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        pytest.param(-1, "True True", marks=pytest.mark.skipif(os.geteuid() != 0, reason="needs root")),
        (4096, "False False"),
    ],
)
def test_memory_is_held_where_no_limit_ends_it(limit: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELD, str(limit)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.stdout.strip(), done.stderr) == (said, "")
