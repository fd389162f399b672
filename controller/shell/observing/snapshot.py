"""A table at one moment, as values; and what is counted between two of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.outbox.counters import OutboxCounters
from controller.round.state import State
from controller.round.view import display
from controller.round.watch import house_edges
from controller.shell.batch import Batch
from controller.shell.limits import disk_free_bytes
from controller.shell.observing.counters import LoopCounters
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


class LoopFigures(msgspec.Struct, frozen=True):
    """What the loop has done since the start of the daemon."""

    readings: int
    events: int
    messages: int
    commits: int
    failed_commits: int


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
    """``cards``, ``messages``, ``holds``, ``voids`` and ``misreads`` by kind or reason."""
    commit_s: Histogram
    oldest_unacknowledged_s: float
    disk_free_bytes: int
    temperature_celsius: float | None
    certificates_end_s: dict[str, float] = {}
    """Which certificate (``client``, ``authority``, ``broker``) -> when it ends, seconds since 1970."""


MISREADS = ("foreign_card", "excess", "duplicate_serial", "result_disagrees", "reread_mismatch")
"""Reasons of holds and voids that say: this card cannot be what the reader said, or the shoe counts
otherwise."""


class EventCounts:
    """Counts what is durable, by name; fed from the loop's thread after each commit."""

    def __init__(self) -> None:
        names = ("cards", "messages", "holds", "voids", "misreads")
        self._counted: dict[str, Counter[str]] = {name: Counter() for name in names}

    def note(self, batch: Batch) -> None:
        """One batch that was committed."""
        for event in batch.events:
            if isinstance(event, CardRead | CardUnread):
                self._counted["cards"]["read" if isinstance(event, CardRead) else "unread"] += 1
        for say in batch.says:
            self._counted["messages"][say.message.name] += 1
            if isinstance(say.message, TableHeld):
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


def observation(
    unit: RunningUnit,
    uptime_s: float,
    state: State | None,
    loop: LoopCounters,
    outbox: OutboxCounters,
    lines: Mapping[str, object],
    counts: EventCounts,
    folder: Path,
    oldest_s: float,
    certificates_end_s: Mapping[str, float],
) -> Observation:
    """The table now; to be called in the thread of the loop. ``folder``: where the journal lies."""
    return Observation(
        unit=unit,
        uptime_s=uptime_s,
        display=None if state is None else display(state),
        alerts={} if state is None else {alert.id: alert.code for alert in state.alerts},
        loop=LoopFigures(loop.readings, loop.events, loop.messages, loop.commits, loop.failed_commits),
        outbox=outbox,
        devices={name: device(line) for name, line in lines.items()},
        house_edge=edges_of(state),
        counted=counts.figures(),
        commit_s=loop.commit_s.copy(),
        certificates_end_s=dict(certificates_end_s),
        oldest_unacknowledged_s=oldest_s,
        disk_free_bytes=disk_free_bytes(folder) or 0,
        temperature_celsius=temperature(),
    )


def edges_of(state: State | None) -> dict[str, float]:
    """Empty if there is nothing to watch."""
    return (house_edges(state) if state is not None else None) or {}


def device(line: object) -> DeviceFigures:
    """The figures of a driver's state; each must be there, so that one that is renamed does not become 0."""
    return msgspec.convert(line, DeviceFigures, from_attributes=True)


def temperature(file: Path = THERMAL) -> float | None:
    """Of the board, where it tells."""
    try:
        return int(file.read_text()) / 1000
    except (OSError, ValueError):
        return None
