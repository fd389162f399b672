"""A shoe that takes commands, told to lock when its daemon is dead."""

from __future__ import annotations

from controller.settings.devices import AngelEyeShoe
from drivers.angel_eye.last_word import leave_locked
from drivers.errors import DeviceError
from drivers.serial_line import LineSettings


def lock_shoe(shoe: AngelEyeShoe) -> str | None:
    """Say it once; what is wrong, or None."""
    line = LineSettings(shoe.port, shoe.baud_rate, parity=shoe.parity, stop_bits=shoe.stop_bits)
    try:
        leave_locked(line, shoe.bcc_includes_stx)
    except DeviceError as error:
        return str(error)
    return None
