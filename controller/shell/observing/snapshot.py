"""A table at one moment, as values; and what is counted between two of them."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections import Counter
from pathlib import Path

import msgspec

from controller.outbox.counters import OutboxCounters
from controller.shell.batch import Batch
from controller.vocabulary.display import Display
from controller.vocabulary.events import CardRead, CardUnread
from controller.vocabulary.histogram import Histogram
from controller.vocabulary.messages import RoundVoid, TableHeld

THERMAL = Path("/sys/class/thermal/thermal_zone0/temp")


class DeviceFigures(msgspec.Struct, frozen=True):
    """A device's line since the start of the daemon."""

    connected: bool
    connections: int
    losses: int
    bytes_in: int
    frames_in: int
    noise_in: int
    writes_failed: int


class LoopFigures(msgspec.Struct):
    """What the loop has done since the start of the daemon."""

    readings: int = 0
    events: int = 0
    messages: int = 0
    commits: int = 0
    failed_commits: int = 0


class LoopCounters(LoopFigures):
    """The same as the loop counts it, and what an observation shows elsewhere or not at all."""

    commit_s: Histogram = msgspec.field(default_factory=Histogram)
    """How long the disk took for each transaction that it took."""
    last_error: str = ""


class RunningUnit(msgspec.Struct, frozen=True):
    """Which table and which program this is."""

    table: str
    """``<site>/<table>``."""
    mode: str
    version: str
    digest: str
    boot: int


class Observation(msgspec.Struct, frozen=True):
    """A table at one moment; counts are since the start of the daemon."""

    unit: RunningUnit
    uptime_s: float
    display: Display | None
    """As published; None before the table is configured."""
    alerts: dict[str, str]
    """Id -> code of what needs a person now."""
    loop: LoopFigures
    outbox: OutboxCounters
    devices: dict[str, DeviceFigures]
    house_edge: dict[str, float]
    """Spot -> what the house keeps of a stake in the next round, by the cards nobody has seen."""
    counted: dict[str, dict[str, int]]
    """What ``COUNTED`` names, by kind or reason."""
    commit_s: Histogram
    oldest_unacknowledged_s: float
    disk_free_bytes: int
    temperature_celsius: float | None
    alert_messages: dict[str, str] = {}
    """Id of an alert -> the same in words."""
    certificates_end_s: dict[str, float] = {}
    """Which certificate (``client``, ``authority``, ``broker``) -> when it ends, seconds since 1970."""
    disk_written_bytes: int | None = None
    """What the daemon has caused to be written, in whole pages of memory; None: the system does not tell."""
    disk_life_years: float | None = None
    """How long a new memory card of the size of the journal's disk lives at that pace."""


COUNTED = {"cards": "result", "messages": "name", "holds": "reason", "voids": "reason", "misreads": "reason"}
"""What is counted by kind, and the label of its metric that says which."""
MISREADS = ("foreign_card", "excess", "duplicate_serial", "result_disagrees", "reread_mismatch")
"""Reasons of holds and voids that say: this card cannot be what the reader said, or the shoe counts
otherwise."""


class EventCounts:
    """Counts what is durable, by name; fed from the loop's thread after each commit."""

    def __init__(self) -> None:
        self._counted: dict[str, Counter[str]] = {name: Counter() for name in COUNTED}

    def note(self, batch: Batch) -> None:
        """One batch that was committed."""
        for event in batch.events:
            if isinstance(event, CardRead | CardUnread):
                self._counted["cards"]["read" if isinstance(event, CardRead) else "unread"] += 1
        for say in batch.says:
            self._counted["messages"][say.message.name] += 1
            if isinstance(say.message, TableHeld) and not say.message.again:
                self._count("holds", say.message.reason)
            elif isinstance(say.message, RoundVoid):
                self._count("voids", say.message.reason)

    def _count(self, name: str, reason: str) -> None:
        self._counted[name][reason] += 1
        if reason in MISREADS:
            self._counted["misreads"][reason] += 1

    def figures(self) -> dict[str, dict[str, int]]:
        """So far."""
        return {name: dict(counted) for name, counted in self._counted.items()}


def temperature(file: Path = THERMAL) -> float | None:
    """Of the board, where it tells."""
    try:
        return int(file.read_text()) / 1000
    except (OSError, ValueError):
        return None
