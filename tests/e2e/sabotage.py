"""Kills the daemon between a byte on the cable and the commit, without any help from the daemon."""

from __future__ import annotations

import array
import fcntl
import os
import random
import sqlite3
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.harness.house import WholeTable
from tests.harness.patience import PATIENCE_S

LOOK_AGAIN_S = 0.001
"""Between two looks; who looked without a pause would take the core that the daemon needs."""
LONGEST_RACE_S = 0.004
"""From the byte to the kill, where they race; a commit takes less than that."""


@dataclass
class Saboteur:
    """Kills the daemon around the bytes of a report."""

    house: WholeTable
    chance: random.Random
    kills: dict[str, int] = field(default_factory=lambda: {"unread": 0, "uncommitted": 0, "race": 0})

    @property
    def between(self) -> int:
        """Kills that were for certain between a byte and its commit."""
        return self.kills["unread"] + self.kills["uncommitted"]

    def around(self, report: Callable[[], bool]) -> bool:
        """Let the shoe report, and kill; false where the shoe reported nothing (and nobody was killed)."""
        [way] = self.chance.choices(list(self.kills), weights=[2, 2, 1])
        happened = {"unread": self.unread, "uncommitted": self.uncommitted, "race": self.race}[way](report)
        self.kills[way] += happened
        return happened

    def unread(self, report: Callable[[], bool]) -> bool:
        """The bytes are in the kernel, and the daemon never reads them."""
        self.house.daemon.freeze()
        if not report():
            self.house.daemon.thaw()
            return False
        self.wait_bytes(lambda count: count > 0)
        self.house.daemon.restart()
        return True

    def uncommitted(self, report: Callable[[], bool]) -> bool:
        """The daemon has read the bytes and cannot commit: another program writes in the journal's file."""
        with self.busy_journal():
            self.house.daemon.freeze()
            if not report():
                self.house.daemon.thaw()
                return False
            self.wait_bytes(lambda count: count > 0)
            self.house.daemon.thaw()
            self.wait_bytes(lambda count: count == 0)
            self.house.daemon.kill()
        self.house.daemon.start()
        return True

    def race(self, report: Callable[[], bool]) -> bool:
        """So many microseconds after the bytes: read or not, committed or not."""
        if not report():
            return False
        threading.Event().wait(self.chance.uniform(0, LONGEST_RACE_S))
        self.house.daemon.restart()
        return True

    @contextmanager
    def busy_journal(self) -> Iterator[None]:
        connection = sqlite3.connect(self.house.journal, isolation_level=None, timeout=PATIENCE_S)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield
        finally:
            connection.close()

    def wait_bytes(self, so: Callable[[int], bool]) -> None:
        """Wait until so many bytes of the shoe wait."""
        self.house.daemon.until(
            lambda: so(waiting_bytes(self.house.shoe.path)), "the bytes go on", LOOK_AGAIN_S
        )


def waiting_bytes(port: str) -> int:
    """So many bytes of this port wait in the kernel for somebody to read them; those that were written just
    now may not have arrived yet.
    """
    opened = os.open(port, os.O_RDWR | os.O_NOCTTY)
    try:
        count = array.array("i", [0])
        fcntl.ioctl(opened, termios.FIONREAD, count)
        return count[0]
    finally:
        os.close(opened)
