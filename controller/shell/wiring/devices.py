"""From ``[devices.*]`` to drivers. A driver's module is imported only where the configuration names it."""

from __future__ import annotations

from controller.settings.devices import ShoeDevice
from controller.settings.model import Configuration
from controller.shell.intake.pairing import Pairing
from controller.shell.intake.witnesses import Witnesses
from controller.shoe.code_map import notices_substitution
from drivers.ports import Driver, LockableShoe, NumberedDriver, OutputDevice
from drivers.repeats import ReportLog
from drivers.serving import ServingDriver
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
    drivers = {place: device.driver(place, context) for place, device in devices.items() if place != LIGHTS}
    if configuration.shadow is not None:
        for driver in drivers.values():
            if isinstance(driver, ServingDriver):
                driver.only_listen()
    return drivers


def outputs_of(configuration: Configuration, pins: PinFactory | None = None) -> OutputDevice | None:
    """Lights, lamps and lock, not yet taken."""
    lights = configuration.devices.lights
    return None if lights is None else lights.outputs(LIGHTS, DriverContext(pins))


def report_logs(configuration: Configuration, drivers: dict[str, Driver]) -> dict[str, ReportLog]:
    """The rule of each device that numbers its reports, by its place.

    TypeError where the settings of a shoe and its driver disagree: a table that trusts numbers which nobody
    judges would never notice a card that it missed.
    """
    logs = {place: one.report_log for place, one in drivers.items() if isinstance(one, NumberedDriver)}
    for place, device in configuration.devices.named().items():
        if isinstance(device, ShoeDevice) and device.numbered != (place in logs):
            settings, driver = type(device).__name__, type(drivers[place]).__name__
            raise TypeError(
                f"{settings} says numbered = {device.numbered}, and {driver} has "
                f"{'a' if place in logs else 'no'} report_log: a shoe has both or neither"
            )
    return logs


def lockable(driver: Driver) -> LockableShoe | None:
    """A shoe that takes commands."""
    return driver if isinstance(driver, LockableShoe) else None


def witnesses_of(configuration: Configuration) -> Witnesses:
    """Who else watches the cards that leave the shoe."""
    beam, second = configuration.devices.beam, configuration.devices.second_reader
    return Witnesses(
        None if beam is None else Pairing(beam.card_within_ms * _MS),
        None if second is None else Pairing(second.agree_within_ms * _MS),
    )
