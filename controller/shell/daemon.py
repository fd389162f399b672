"""The life of one table's daemon: start, serve under the service manager's watchdog, stop in safety."""

from __future__ import annotations

import logging
import os
import signal
import socket
import time
from pathlib import Path

import msgspec

from controller.journal.sqlite import SqliteJournal
from controller.outbox.publisher import Publisher
from controller.round.view import display
from controller.round.watch import house_edges
from controller.settings.model import Configuration
from controller.shell.clock import Clock
from controller.shell.expiry import CertificateWatch
from controller.shell.housekeeping import Housekeeper
from controller.shell.identity import software_digest, version
from controller.shell.intake import Driver
from controller.shell.lamps import Lamps
from controller.shell.limits import LimitWatch, disk_free_bytes
from controller.shell.loop import Loop
from controller.shell.memory import hold_memory
from controller.shell.observing.snapshot import (
    DeviceFigures,
    EventCounts,
    LoopFigures,
    Observation,
    RunningUnit,
    temperature,
)
from controller.shell.observing.watching import Watching
from controller.shell.sentinel import STEP_S, Sentinel
from controller.shell.wear import disk_of, life_years, written_bytes

log = logging.getLogger(__name__)

STATUS_EVERY_S = 0.5
OUTPUTS_SAFE_WITHIN_S = 1.2
"""Watchdog of a table with outputs, frozen as a whole: ``safe-outputs`` needs the rest of two seconds."""


class Daemon(msgspec.Struct, frozen=True):
    """A table put together; it runs between :meth:`start` and :meth:`stop`."""

    configuration: Configuration
    loop: Loop
    publisher: Publisher
    journal: SqliteJournal
    drivers: dict[str, Driver]
    boot: int
    limits: LimitWatch
    certificates: CertificateWatch
    lamps: Lamps
    housekeeper: Housekeeper
    clock: Clock
    leaves_outputs: bool
    """A table that died would leave outputs as they were; ``safe-outputs`` has something to do then."""

    def look(self) -> None:
        """Tidy the journal where it is time; between two steps of the loop."""
        wall_ms = time.time_ns() // 1_000_000
        self.housekeeper.look(self.clock.monotonic_ns(), wall_ms, idle=self.loop.idle)

    def start(self) -> None:
        """Journal the start, then reach for broker and devices."""
        self.lamps.start()
        while self.loop.step(0.0):
            pass
        for driver in self.drivers.values():
            driver.start(self.loop.deliver)
        self.publisher.start(self.clock.monotonic_ns() / 1e9)

    def stop(self) -> None:
        """The safe state first; then let go of everything, in the order that loses nothing."""
        self.lamps.stop()
        for driver in self.drivers.values():
            driver.stop()
        while self.loop.step(0.0):
            pass
        self.publisher.stop()
        self.journal.close()

    @property
    def status(self) -> str:
        """The table in one line, without a card."""
        state = self.loop.table.state
        if state is None:
            return "not configured"
        round_ = "" if state.round is None else f", round {state.round.id}"
        held = "" if state.hold is None else f", holds: {state.hold.reason}"
        pending = self.publisher.counters.pending
        return f"{state.phase}{round_}{held}, {pending} messages unacknowledged"

    def windows(self, counts: EventCounts) -> Watching:
        """Open the windows that are configured. WindowError if one cannot be."""
        table, began_s = self.configuration.table, time.monotonic()
        folder = Path(self.configuration.journal.path).parent
        unit = RunningUnit(f"{table.site}/{table.id}", table.mode, version(), software_digest(), self.boot)

        def observe() -> Observation:
            state, loop = self.loop.table.state, self.loop.counters
            up_s, written, disk = time.monotonic() - began_s, written_bytes(), disk_of(folder)
            return Observation(
                unit=unit,
                uptime_s=up_s,
                display=None if state is None else display(state),
                alerts={} if state is None else {alert.id: alert.code for alert in state.alerts},
                loop=msgspec.convert(loop, LoopFigures, from_attributes=True),
                outbox=self.publisher.counters,
                # Each figure must be there, so that one that a driver renames does not become 0.
                devices={
                    name: msgspec.convert(driver.state, DeviceFigures, from_attributes=True)
                    for name, driver in self.drivers.items()
                },
                house_edge=(None if state is None else house_edges(state)) or {},
                counted=counts.figures(),
                commit_s=loop.commit_s.copy(),
                alert_messages={} if state is None else {alert.id: alert.message for alert in state.alerts},
                certificates_end_s=dict(self.certificates.ends_s),
                oldest_unacknowledged_s=self.limits.oldest_s,
                disk_free_bytes=disk_free_bytes(folder) or 0,
                disk_written_bytes=written,
                disk_life_years=disk and life_years(disk.size_bytes, written or 0, up_s),
                temperature_celsius=temperature(),
            )

        return Watching(self.configuration, observe, lambda: self.loop.retained, lambda: self.loop.under_key)


def live(daemon: Daemon, counts: EventCounts) -> None:
    """Run until SIGTERM or SIGINT.

    WindowError if a window cannot be opened: nothing has begun then. MayNotRunError if another unit is
    this table, any other error where it could not start or go on; the outputs are safe then.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: daemon.loop.stop())
    try:
        windows = daemon.windows(counts)
    except BaseException:
        daemon.journal.close()
        raise
    try:
        serve(daemon, windows)
    finally:
        windows.close()


def serve(daemon: Daemon, windows: Watching) -> None:
    """Start, say that we are ready, let the watchdog be fed by the loop's own progress, stop cleanly.

    ``windows`` look at every step. A dead table may leave outputs as they were: then the watchdog is made
    short, and only a sentinel that has put them safe may stretch it to its whole time.
    """
    watched_s = watchdog_s() or 0.0
    limit_s = min(watched_s, OUTPUTS_SAFE_WITHIN_S) if daemon.leaves_outputs else watched_s
    status_due_s = 0.0
    sentinel = Sentinel(
        daemon.loop.heartbeat,
        daemon.lamps.stall,
        lambda: notify("WATCHDOG=1"),
        goes_on_s=watched_s - limit_s,
    )

    def step() -> None:
        nonlocal status_due_s
        daemon.look()
        windows.look()
        if time.monotonic() >= status_due_s:
            status_due_s = time.monotonic() + STATUS_EVERY_S
            notify(f"STATUS={daemon.status}")

    try:
        hold_memory()
        sentinel.start()
        daemon.start()
        short = [f"WATCHDOG_USEC={round(limit_s * 1e6)}"] if limit_s < watched_s else []
        # In one breath: a short watchdog that nobody feeds yet would run from here to the first step.
        notify("READY=1", f"STATUS={daemon.status}", *short, "WATCHDOG=1", wait=True)
        sentinel.ready()
        log.info("table ready, boot %d", daemon.boot)
        daemon.loop.run(step, STEP_S)
    finally:
        notify("STOPPING=1")
        daemon.stop()
        sentinel.stop()


def notify(*lines: str, wait: bool = False) -> None:
    """Send lines such as ``READY=1``; without ``NOTIFY_SOCKET`` nothing happens.

    A manager that does not read keeps nobody waiting, since a stalled table would be worse: the lines
    are lost then, and sent again if they are sent regularly. ``wait``: for what must not be lost, such as
    that the table is ready.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as link:
        try:
            link.setblocking(wait)
            link.connect(address)
            link.sendall("\n".join(lines).encode())
        except OSError:
            return


def watchdog_s() -> float | None:
    """The time after which the service manager ends a daemon that says nothing; None if none watches."""
    text = os.environ.get("WATCHDOG_USEC", "")
    return int(text) / 1e6 if text.isascii() and text.isdigit() and int(text) else None
