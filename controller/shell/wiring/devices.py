"""From ``[devices.*]`` to drivers. A driver's module is imported only where the configuration names it."""

from __future__ import annotations

from controller.settings.model import Configuration
from controller.shell.intake.beam import Beam
from controller.shell.intake.second import SecondReader
from controller.shell.intake.witnesses import Witnesses
from controller.shoe.code_map import notices_substitution
from drivers.ports import Driver, LockableShoe, OutputDevice
from drivers.settings import DriverContext
from drivers.settings import PinFactory as PinFactory

LIGHTS = "lights"
_MS = 1_000_000


def drivers_of(configuration: Configuration, pins: PinFactory | None = None) -> dict[str, Driver]:
    """A driver for each configured device that says something, not yet started.

    ``pins``: whose pins; None: the board's own.
    """
    context = DriverContext(pins, notices_substitution(configuration.code_map))
    devices = configuration.devices.named()
    return {place: device.driver(place, context) for place, device in devices.items() if place != LIGHTS}


def outputs_of(configuration: Configuration, pins: PinFactory | None = None) -> OutputDevice | None:
    """Lights, lamps and lock, not yet taken."""
    lights = configuration.devices.lights
    return None if lights is None else lights.outputs(LIGHTS, DriverContext(pins))


def lockable(driver: Driver) -> LockableShoe | None:
    """A shoe that takes commands."""
    return driver if isinstance(driver, LockableShoe) else None


def witnesses_of(configuration: Configuration) -> Witnesses:
    """Who else watches the cards that leave the shoe."""
    beam, second = configuration.devices.beam, configuration.devices.second_reader
    return Witnesses(
        None if beam is None else Beam(beam.card_within_ms * _MS),
        None if second is None else SecondReader(second.agree_within_ms * _MS),
    )
