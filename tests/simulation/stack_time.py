"""The clocks of the simulated world, in place of the machine's.

Every room of the program that asks the time asks here while :func:`ruling` lasts, and so do paho and the
nonces. Nothing sleeps: time passes when the world says so.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import paho.mqtt.client as paho

import controller.shell.batch
from controller.shell.clock import Clock

SECOND_NS = 1_000_000_000
NOON_NS = 1_772_366_400 * SECOND_NS
"""The world begins on 2026-03-01 at 12:00 UTC."""
ROOMS = ("controller.", "drivers.")


class WorldTime:
    """A stand-in for the module ``time``; what is not a clock is the real module's."""

    def __init__(self) -> None:
        self.ns = 1_000 * SECOND_NS
        """Monotonic: it passes when :meth:`let_pass` says so."""
        self.jumped_ns = 0
        """So far the wall clock was set, forwards or back."""

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)

    def let_pass(self, seconds: float) -> None:
        """So much time passes."""
        self.ns += int(seconds * SECOND_NS)

    def monotonic_ns(self) -> int:
        return self.ns

    def monotonic(self) -> float:
        return self.ns / 1e9

    perf_counter = monotonic
    perf_counter_ns = monotonic_ns

    def time_ns(self) -> int:
        return NOON_NS + self.ns + self.jumped_ns

    def time(self) -> float:
        return self.time_ns() / 1e9

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"somebody sleeps for {seconds} s: nothing in this world may")


class WorldClock(Clock):
    """The program's own clock, whose machine is the world; nobody asks a kernel who set it."""

    def synchronised(self) -> bool:
        return True


for _name in (
    "controller.outbox.session",
    "controller.shell.wiring.assembly",
    "drivers.angel_eye.driver",
    "drivers.angel_eye.simulator",
    "drivers.line_driver",
):
    import_module(_name)  # what is imported later than this would ask the machine


@contextmanager
def ruling(now: WorldTime, chance: random.Random) -> Iterator[None]:
    """The world's time holds for the program, and its nonces come from ``chance``."""
    with ExitStack() as stack:
        for name, module in list(sys.modules.items()):
            if name.startswith(ROOMS) and getattr(module, "time", None) is time:
                stack.enter_context(patch.object(module, "time", now))
        stack.enter_context(patch.object(paho, "time_func", now.monotonic))
        nonces = SimpleNamespace(urandom=chance.randbytes)
        stack.enter_context(patch.object(controller.shell.batch, "os", nonces))
        yield
