"""How long a test waits for what must come: longer on a machine that has no time to spare.

A test that waits in vain should say so soon, and a starved machine should make a test slow, not red. So a
test that looks again and again gives up after :data:`QUIET_S` in which a processor had nothing to do; a wait
that is a single call gets :data:`PATIENCE_S`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from drivers.simulated_device import SimulatedDevice

__all__ = ["LOOK_S", "PATIENCE_S", "QUIET_S", "Patience", "patiently"]

Came = TypeVar("Came")

PATIENCE_S = float(os.environ.get("TEST_PATIENCE_S", "900"))
"""``make mutants`` waits less: most of what it waits for never comes."""
SimulatedDevice.patience_s = PATIENCE_S
QUIET_S = min(240.0, PATIENCE_S)
"""Far longer than anything takes that has a processor to itself."""
LOOK_S = 1.0
"""How often the processors are looked at."""


def idle_s() -> float:
    """Seconds since the machine started in which its processors had nothing to do, all of them together."""
    _, *ticks = Path("/proc/stat").read_text().partition("\n")[0].split()
    return sum(map(int, ticks[3:5])) / os.sysconf("SC_CLK_TCK")


class Patience:
    """The patience of one wait; it begins now."""

    def __init__(self, quiet_s: float = QUIET_S) -> None:
        self._ends_s = time.monotonic() + PATIENCE_S
        self._left_s = quiet_s
        self._looked_s, self._idle_s = time.monotonic(), idle_s()

    @property
    def over(self) -> bool:
        """Whether it has been long enough; to be asked again and again."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= LOOK_S:
            idle = idle_s()
            self._left_s -= min(now_s - self._looked_s, idle - self._idle_s)
            self._looked_s, self._idle_s = now_s, idle
        return self._left_s <= 0 or now_s > self._ends_s


def patiently(wait: Callable[[float], Came]) -> Came:
    """What this wait gave; it gets a number of seconds, and is called again while it gives nothing and there
    is patience left.
    """
    patience = Patience()
    while not (came := wait(LOOK_S)) and not patience.over:
        pass
    return came
