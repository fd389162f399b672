"""What is said to devices when their daemon is dead: outputs into the safe state, and a shoe told to lock."""

from __future__ import annotations

from controller.vocabulary.errors import DeviceError
from drivers.errors import DeviceFault
from drivers.settings import DriverContext, LightsDevice, PinFactory, ShoeDevice


def leave_safe(lights: LightsDevice, pins: PinFactory | None = None) -> int:
    """Put every output into the safe state; how many there are. :class:`DeviceError` where it cannot.

    The pins stay driven: the caller ends with ``os._exit``, so that no library lets them go on its way out.
    """
    try:
        return lights.leave_safe(DriverContext(pins))
    except DeviceFault as error:
        raise DeviceError(str(error)) from error


def lock_shoe(shoe: ShoeDevice) -> str | None:
    """Tell a shoe that takes commands to lock, once; what is wrong, or None."""
    try:
        shoe.leave_locked()
    except DeviceFault as error:
        return str(error)
    return None
