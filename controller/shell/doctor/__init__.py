"""Is this table well? One finding for each thing that a technician can fix, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from controller.journal.files import writer_of
from controller.outbox.broker import BrokerSettings
from controller.settings.model import Configuration
from controller.shell.clock import Clock
from controller.shell.doctor.findings import Diagnosis
from controller.shell.doctor.machine import (
    check_clock,
    check_disk,
    check_memory,
    check_pins_stay,
    check_software,
    check_wear,
)
from controller.shell.doctor.outside import check_broker, check_port


def examine(
    configuration: Configuration,
    clock: Clock,
    broker: BrokerSettings,
    probes: Mapping[str, Callable[[], list[Diagnosis]]],
) -> Iterator[Diagnosis]:
    """Look at everything, in the order in which a technician would fix things; ``probes`` ask each device.
    Findings come as they are made.

    The devices of a table at work are held by it, and nobody else may speak to them: it knows how they are.
    """
    yield check_software()
    yield from (
        Diagnosis("configuration", "warning", str(problem), "have a look at this key")
        for problem in configuration.warnings
    )
    yield from check_disk(configuration)
    yield check_wear(configuration)
    yield check_clock(clock)
    yield check_memory()
    yield from check_pins_stay(configuration)
    yield from check_broker(configuration, broker)
    writer = writer_of(Path(configuration.journal.path))
    if writer is not None:
        seen = f"at work (process {writer}): it holds the devices, so they are not examined"
        shown = f"`dealer-table top --config {configuration.file}` shows them"
        yield Diagnosis("table", "warning", seen, f"{shown}; to examine them, stop the table")
        return
    for name, probe in probes.items():
        port = getattr(getattr(configuration.devices, name), "port", None)
        yield from probe() if port is None else check_port(name, port, probe)
