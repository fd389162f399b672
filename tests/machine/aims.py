"""What a cut is aimed at: chance alone rarely meets the moment in which a write is on its way."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.machine.looking import AGAIN_WITHIN_S, demand
from tests.machine.qemu import pause
from tests.machine.table import MachineTable

AIMED_WITHIN_S = 0.004
"""So long at most after what a cut waits for: the time from a write to its flush."""


def aim(sign: Callable[[], int], chance: Random) -> None:
    """Wait until the sign changes, and a moment longer."""
    before, ends_s = sign(), time.monotonic() + AGAIN_WITHIN_S
    while sign() == before:
        demand(time.monotonic() < ends_s, "nothing is written or told any more")
        pause(0.0003)
    pause(chance.uniform(0, AIMED_WITHIN_S))


def written(_: MachineTable, log: Path) -> int:
    """Changes with each write to the journal's disk."""
    return log.stat().st_size


def told(table: MachineTable, _: Path) -> int:
    """Changes with each message that the books have taken, and with each card that the shoe was told is."""
    return len(table.settlement.taken) + len(table.shoe.acknowledged)


AIMS = (None, written, None, told)
"""Every second cut comes at any instant; of the others every second one just after a write, every second one
just after a word that must never be taken back.
"""
