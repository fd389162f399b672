"""Puts together what ``doctor`` looks at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from controller.settings.model import Configuration
from controller.shell.doctor.findings import Diagnosis
from controller.shell.wiring.devices import drivers_of, outputs_of
from controller.shell.wiring.probe import probe_device, probe_outputs
from drivers.settings import PinFactory


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
