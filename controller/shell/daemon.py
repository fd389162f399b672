"""The life of one table's daemon: start, serve under the service manager's watchdog, stop in safety."""

from __future__ import annotations

import logging
import signal
import time
from pathlib import Path

import msgspec

from controller.journal.sqlite import SqliteJournal
from controller.outbox.publisher import Publisher
from controller.settings.model import Configuration
from controller.shell.clock import Clock
from controller.shell.expiry import CertificateWatch
from controller.shell.housekeeping import Housekeeper
from controller.shell.identity import software_digest, version
from controller.shell.intake import Driver
from controller.shell.lamps import Lamps
from controller.shell.limits import LimitWatch
from controller.shell.loop import Loop
from controller.shell.notify import StatusLine, notify, watchdog_s
from controller.shell.observing.snapshot import EventCounts, Observation, RunningUnit, observation
from controller.shell.observing.watching import Watching
from controller.shell.sentinel import STEP_S, Sentinel

log = logging.getLogger(__name__)

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
        unit = RunningUnit(f"{table.site}/{table.id}", table.mode, version(), software_digest(), self.boot)

        def observe() -> Observation:
            return observation(
                unit,
                time.monotonic() - began_s,
                self.loop.table.state,
                self.loop.counters,
                self.publisher.counters,
                {name: driver.state for name, driver in self.drivers.items()},
                counts,
                Path(self.configuration.journal.path).parent,
                self.limits.oldest_s,
                self.certificates.ends_s,
            )

        return Watching(self.configuration, observe, lambda: self.loop.retained)


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
    tell_status = StatusLine(lambda: daemon.status).tell
    sentinel = Sentinel(
        daemon.loop.heartbeat,
        daemon.lamps.stall,
        lambda: notify("WATCHDOG=1"),
        goes_on_s=watched_s - limit_s,
    )

    def step() -> None:
        daemon.look()
        windows.look()
        tell_status(time.monotonic())

    try:
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
