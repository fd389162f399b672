"""The trials of ``doctor --broker``, as tests make them."""

from __future__ import annotations

from pathlib import Path

from controller.outbox.broker import BrokerSettings
from controller.settings.loader import load_configuration
from controller.shell.doctor.findings import Diagnosis
from controller.shell.doctor.needs import check_needs
from controller.shell.doctor.trials import Ground
from controller.shell.wiring.assembly import table_broker
from tests.harness.configuration import configured

OWN = "dealer-table/v1/north/7/doctor"
SHOE = 'devices.shoe = { driver = "angel-eye", port = "{folder}/shoe" }\n'
SHORT_S = 2.0
"""So long a trial waits for what never comes."""


def tried(folder: Path, mqtt: dict[str, object]) -> list[Diagnosis]:
    """Everything that is found at this broker."""
    configuration = load_configuration(configured(folder, SHOE, {"mqtt": mqtt}))
    return [*check_needs(configuration, table_broker(configuration))]


def not_well(found: list[Diagnosis]) -> dict[str, str]:
    """What is missing, and what it is called."""
    return {finding.name: finding.grade for finding in found if finding.grade != "ok"}


def ground(broker: BrokerSettings, first: BrokerSettings | None = None) -> Ground:
    """Where single trials are made."""
    return Ground(broker, OWN, (), first)
