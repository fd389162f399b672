"""``run``: the daemon of one table."""

from __future__ import annotations

import argparse
import logging
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from controller.cli.telling import complain
from controller.vocabulary.errors import ConfigurationError, DealerTableError, MayNotRunError

if TYPE_CHECKING:  # `dealer-table score` must not pay for the import of a broker's client
    from controller.settings.model import Configuration
    from controller.shell.observing.snapshot import Tally
    from controller.shell.observing.watching import Watching
    from controller.shell.wiring.assembly import Assembly

EXAMPLE = "dealer-table run --config /etc/dealer-table/7.toml"
OUTPUTS_SAFE_WITHIN_S = 1.2
"""Watchdog of a table with outputs, frozen as a whole: ``safe-outputs`` needs the rest of two seconds."""


def run(arguments: argparse.Namespace) -> int:
    """Run until SIGTERM or SIGINT; 2 where the configuration is wrong or another unit is this table, 1 where
    the table could not start or go on."""
    from controller.settings.loader import load_configuration

    try:
        configuration = load_configuration(arguments.config)
    except ConfigurationError as error:
        print(f"dealer-table: {error.message}", file=sys.stderr)
        return 2
    from controller.shell.observing.logs import open_log
    from controller.shell.observing.snapshot import Tally
    from controller.shell.wiring.assembly import assemble

    open_log(configuration.observe.log, f"{configuration.table.site}/{configuration.table.id}")
    tally = Tally()
    try:
        assembly = assemble(configuration, observer=tally.note)
    except DealerTableError as error:
        print(f"dealer-table: {error.message}", file=sys.stderr)
        return 2 if isinstance(error, ConfigurationError) else 1
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: assembly.loop.stop())
    try:
        watching = watch(assembly, configuration, tally)
    except DealerTableError as error:
        assembly.journal.close()
        return complain(error.message)
    try:
        serve(assembly, watching, outputs=leaves_outputs(configuration))
    except MayNotRunError as error:
        return complain(error.message)  # to start it again would not mend it: the service manager lets it be
    except DealerTableError as error:
        complain(f"the table stops, its outputs are safe: {error.message}")
        return 1
    finally:
        watching.close()
    return 0


def watch(assembly: Assembly, configuration: Configuration, tally: Tally) -> Watching:
    """Open the windows that are configured. WindowError where one cannot be."""
    from controller.shell.identity import software_digest, version
    from controller.shell.observing.snapshot import Unit, snapshot
    from controller.shell.observing.watching import Watching

    table = configuration.table
    unit = Unit(f"{table.site}/{table.id}", table.mode, version(), software_digest(), assembly.boot)
    folder, began_s = Path(configuration.journal.path).parent, time.monotonic()
    return Watching(
        configuration,
        lambda: snapshot(
            unit,
            time.monotonic() - began_s,
            assembly.loop.table.state,
            assembly.loop.counters,
            assembly.courier.counters,
            {name: driver.state for name, driver in assembly.drivers.items()},
            tally,
            folder,
            assembly.limits.oldest_s,
            assembly.certificates.ends_s,
        ),
        lambda: assembly.loop.retained,
    )


def serve(assembly: Assembly, watching: Watching, *, outputs: bool = False) -> None:
    """Start, say that we are ready, let the watchdog be fed by the loop's own progress, stop cleanly.

    ``watching`` looks at every step. ``outputs``: a dead table would leave some as they were, so the watchdog
    is made short, and only a sentinel that has put them safe may stretch it to its whole time.
    """
    from controller.shell.notify import Status, notify, watchdog_s
    from controller.shell.sentinel import STEP_S, Sentinel

    watched_s = watchdog_s() or 0.0
    limit_s = min(watched_s, OUTPUTS_SAFE_WITHIN_S) if outputs else watched_s
    status = Status(lambda: status_of(assembly))
    sentinel = Sentinel(
        assembly.loop.heartbeat,
        assembly.lamps.stand,
        lambda: notify("WATCHDOG=1"),
        goes_on_s=watched_s - limit_s,
    )

    def step() -> None:
        assembly.look()
        watching.look()
        status.tell(time.monotonic())

    try:
        sentinel.start()
        assembly.start()
        short = [f"WATCHDOG_USEC={round(limit_s * 1e6)}"] if limit_s < watched_s else []
        # In one breath: a short watchdog that nobody feeds yet would run from here to the first step.
        notify("READY=1", f"STATUS={status_of(assembly)}", *short, "WATCHDOG=1", wait=True)
        sentinel.ready()
        logging.getLogger(__name__).info("table ready, boot %d", assembly.boot)
        assembly.loop.run(step, STEP_S)
    finally:
        notify("STOPPING=1")
        assembly.stop()
        sentinel.stop()


def leaves_outputs(configuration: Configuration) -> bool:
    """Whether ``safe-outputs`` has something to do after this table: pins, or a shoe that is told to lock."""
    from controller.settings.devices import AngelEyeShoe

    shoe, lights = configuration.devices.shoe, configuration.devices.lights
    return lights is not None or (isinstance(shoe, AngelEyeShoe) and shoe.lock and shoe.safe_locked)


def status_of(assembly: Assembly) -> str:
    """The table in one line, without a card."""
    state = assembly.loop.table.state
    if state is None:
        return "not configured"
    round_ = "" if state.round is None else f", round {state.round.id}"
    held = "" if state.hold is None else f", holds: {state.hold.reason}"
    pending = assembly.courier.counters.pending
    return f"{state.phase}{round_}{held}, {pending} messages unacknowledged"
