"""Errors of the drivers. Each text names what to mend; the type says whose fault it is."""

from __future__ import annotations


def why(problem: OSError) -> str:
    """What the system says of its error, without the number."""
    return problem.strerror or " ".join(map(str, problem.args))


class DeviceFault(Exception):
    """A device or its port is at fault."""


class DeviceSettingsError(ValueError):
    """A device setting is wrong: a fault of the configuration. `key` is the setting's name, without the
    table's path.
    """

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem
