"""Errors of the drivers. Each text names what to mend; the type says whose fault it is."""

from __future__ import annotations


class DeviceFault(Exception):
    """A device or its port is at fault."""


class PortMissing(DeviceFault):
    """There is no device at the path."""


class PortForbidden(DeviceFault):
    """The path exists and this user may not open it."""


class PortHeld(DeviceFault):
    """Another program has the port open."""


class PortUnusable(DeviceFault):
    """There is something at the path, but it is no serial port or does not take the settings."""


class DeviceSettingsError(ValueError):
    """A device setting is wrong: a fault of the configuration. `key` is the setting's name, without the
    table's path.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem
