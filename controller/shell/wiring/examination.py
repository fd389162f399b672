"""Puts together what ``doctor`` looks at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from controller.outbox.broker import BrokerSettings
from controller.settings.model import Configuration
from controller.shell.clock import Clock, SystemClock
from controller.shell.doctor.findings import Diagnosis
from controller.shell.wiring.assembly import broker_settings
from controller.shell.wiring.devices import drivers_of, outputs_of
from controller.shell.wiring.probe import probe_device, probe_outputs
from drivers.settings import PinFactory


def clock_of_machine() -> Clock:
    """The clock that the daemon would use."""
    return SystemClock()


def settings_of_broker(configuration: Configuration) -> BrokerSettings:
    """The broker that the daemon would use."""
    return broker_settings(configuration)


def probes_of(
    configuration: Configuration, pins: PinFactory | None = None
) -> dict[str, Callable[[], list[Diagnosis]]]:
    """A question for each configured device."""
    probes: dict[str, Callable[[], list[Diagnosis]]] = {}
    for name, driver in drivers_of(configuration, pins).items():
        probes[name] = partial(probe_device, driver)
    outputs = outputs_of(configuration, pins)
    if outputs is not None:
        probes["lights"] = partial(probe_outputs, outputs)
    return probes
