"""``safe-outputs``: light, lamps and lock into the safe state, when the daemon no longer can."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TypeVar

from controller.cli.telling import complain
from controller.settings.devices import LightsDevice, ShoeDevice, settings_at
from controller.settings.reading import Reader
from controller.settings.resolve import read_toml
from controller.vocabulary.errors import ConfigurationError, DeviceError

DeviceT = TypeVar("DeviceT", ShoeDevice, LightsDevice)


def run(arguments: argparse.Namespace) -> int:
    """0 if the outputs are safe, or where there are none, 1 if one is not; ends the process where pins
    are driven.

    The service manager runs this after every end of the daemon, so it reads nothing of the file but the
    outputs: a mistake elsewhere must not leave a light green. A shoe is told to lock; one that is switched
    off cannot be told. After a good end the daemon has told it already: a second
    word would be a second numbered report that nobody hears, and the next start would hold for the gap.
    """
    path = Path(arguments.config)
    shoe, found = device_of(path, "shoe", ShoeDevice)
    if found:
        complain(found)
    told = os.environ.get("SERVICE_RESULT") == "success"
    if shoe is not None and shoe.lock and shoe.safe_locked and not told:
        lock(shoe)
    # mypy: LightsDevice is abstract; it is asked only whether the device is one.
    lights, found = device_of(path, "lights", LightsDevice)  # type: ignore[type-abstract]
    if found:
        raise ConfigurationError(found)
    if lights is None:
        print("no outputs on pins")
        return 0
    from controller.shell.wiring.safe_outputs import leave_safe

    try:
        print(f"{leave_safe(lights)} outputs are in the safe state")
        status = 0
    except DeviceError as error:
        complain(f"not every output is in the safe state: {error.message}")
        status = 1
    sys.stdout.flush()
    os._exit(status)


def lock(shoe: ShoeDevice) -> None:
    """Tell a shoe that takes commands to let no card out; a failure is said and keeps nothing else."""
    from controller.shell.wiring.safe_outputs import lock_shoe

    problem = lock_shoe(shoe)
    if problem is None:
        print("the shoe is told to lock")
    else:
        complain(f"the shoe is not locked: {problem}")


def device_of(path: Path, place: str, kind: type[DeviceT]) -> tuple[DeviceT | None, str]:
    """A device of a configuration, None if it has none; and what is wrong with its table, or nothing."""
    devices = read_toml(path, "the configuration").get("devices")
    values = devices.get(place) if isinstance(devices, dict) else None
    if values is None:
        return None, ""
    known = settings_at(place, values.get("driver") if isinstance(values, dict) else None)
    if len(known) > 1:
        return None, f"{path}: devices.{place}.driver: there is no such driver"
    reader = Reader(known[0])
    read = reader.read(values, known[0], f"devices.{place}")
    if reader.problems:
        return None, "\n".join(f"{path}: {problem}" for problem in reader.problems)
    return read if isinstance(read, kind) else None, ""
