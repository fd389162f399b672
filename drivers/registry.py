"""Which devices there are. ``driver = "bee-tek"`` is the module ``drivers.bee_tek``, found by its name alone.

A module of this folder, a file or a package, is a device's where it has ``DEVICES``, a tuple of settings
structs. To add a device is to add such a module.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.util import find_spec

import drivers
from drivers.settings import DeviceSettings, SerialDevice


def device(place: str, driver: object) -> type[DeviceSettings] | None:
    """The settings of the driver of this name at a place, None if there is none. Imports no other one."""
    module = driver.replace("-", "_") if isinstance(driver, str) else ""
    if not module.isidentifier() or find_spec(f"drivers.{module}") is None:
        return None
    return next((one for one in _declared(module) if one.place == place and tag_of(one) == driver), None)


@cache
def devices(place: str | None = None) -> tuple[type[DeviceSettings], ...]:
    """The settings of all devices, or of those at one place; first those on a serial port, then by name."""
    names = [module.name for module in pkgutil.iter_modules(drivers.__path__)]
    found = [one for name in names for one in _declared(name) if place in (None, one.place)]
    return tuple(sorted(found, key=lambda one: (not issubclass(one, SerialDevice), tag_of(one))))


def tag_of(settings: type[DeviceSettings]) -> str:
    """The name of a driver, as it is written in a file."""
    return str(settings.__struct_config__.tag)


def _declared(module: str) -> tuple[type[DeviceSettings], ...]:
    """The devices of a module. TypeError where one could not be found, and what it needs for that."""
    declared = getattr(importlib.import_module(f"drivers.{module}"), "DEVICES", ())
    if not isinstance(declared, tuple):
        raise TypeError(f"drivers.{module}: DEVICES must be a tuple, as DEVICES = (HarbourShoe,)")
    for one in declared:
        if not (isinstance(one, type) and issubclass(one, DeviceSettings)):
            raise TypeError(f"drivers.{module}: DEVICES holds {str(one)!r}, which is no struct of settings")
        if not hasattr(one, "place"):
            raise TypeError(f"drivers.{module}: {one.__name__} takes no place; give it a base as ShoeDevice")
        if tag_of(one).replace("-", "_") != module:
            needed = module.replace("_", "-")
            raise TypeError(
                f"drivers.{module}: {one.__name__} has the tag {tag_of(one)!r}; needed is tag={needed!r}, "
                "the module's name"
            )
        # Not left to abc: msgspec composes no struct (``defstruct``) under another metaclass.
        missing = [name for name in dir(one) if getattr(getattr(one, name), "__isabstractmethod__", False)]
        if missing:
            raise TypeError(f"drivers.{module}: {one.__name__} does not say: {', '.join(missing)}")
    return declared
