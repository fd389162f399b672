"""The outputs on pins: from settings to the driver's words, and into the safe state without a daemon."""

from __future__ import annotations

from controller.settings.devices import GpioLights
from controller.vocabulary.errors import DeviceError
from drivers import errors
from drivers.panel.gpio.outputs import OutputPins, SafeState, put_safe
from drivers.panel.gpio.pins import PinFactory, board_factory


def output_pins(lights: GpioLights) -> OutputPins:
    """``[devices.lights]`` as the driver wants it."""
    return OutputPins(
        red=lights.red,
        yellow=lights.yellow,
        green=lights.green,
        hold=lights.hold,
        buzzer=lights.buzzer,
        shoe_lock=lights.shoe_lock,
        active=lights.active,
        safe=SafeState(lights.safe_light, lights.safe_hold, lights.safe_locked),
    )


def leave_safe(lights: GpioLights, factory: PinFactory = board_factory) -> int:
    """Put every output into the safe state; how many there are. :class:`DeviceError` where it cannot.

    The pins stay driven: the caller ends with ``os._exit``, so that no library lets them go on its way out.
    """
    pins = output_pins(lights)
    if not pins.named():
        return 0
    try:
        put_safe(pins, factory)
    except errors.DeviceError as error:
        raise DeviceError(str(error)) from error
    return len(pins.named())
