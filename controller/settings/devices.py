"""``[devices.*]``: which devices the table has, by the place they take.

The keys of a device are its driver's (``drivers.settings``); ``driver`` in the file chooses which. A file is
read with the drivers that it names and no others; who describes the configuration asks for all.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, TypeVar, Union, cast

import msgspec
from msgspec import Meta

from drivers.registry import device, devices, tag_of
from drivers.settings import BeamDevice, DeviceSettings, FeltDevice, PanelDevice, ShufflerDevice
from drivers.settings import LightsDevice as LightsDevice
from drivers.settings import ShoeDevice as ShoeDevice

StructT = TypeVar("StructT", bound=msgspec.Struct)


class Devices(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The devices by the place they take at the table."""

    shoe: ShoeDevice
    second_reader: ShoeDevice | None = None
    shuffler: ShufflerDevice | None = None
    panel: PanelDevice | None = None
    beam: BeamDevice | None = None
    felt: FeltDevice | None = None
    lights: LightsDevice | None = None

    def named(self) -> dict[str, DeviceSettings]:
        """The devices that the table has, by their place."""
        found = {name: getattr(self, name) for name in PLACES}
        return {name: one for name, one in found.items() if one is not None}


PLACES = Devices.__struct_fields__
TAKES = {"second_reader": "shoe"}
"""A place in the file -> the place that its drivers are made for, where that has another name."""


class SecondReaderKeys(msgspec.Struct, frozen=True):
    """A second reader: it watches the same cards as the shoe, and only contradicts."""

    agree_within_ms: Annotated[int, Meta(ge=100, le=10_000)] = 1500
    """How far the two readings of one card may lie apart. No round opens so soon after the last card."""


@cache
def second_reader(shoe: type[ShoeDevice]) -> type[ShoeDevice]:
    """The keys of a shoe that is a second reader: its own, then `agree_within_ms`."""
    return composed(
        shoe,
        [(field.name, field.type, field.default) for field in msgspec.structs.fields(SecondReaderKeys)],
        name=f"Second{shoe.__name__.removesuffix('Shoe')}",
        tag=tag_of(shoe),
        namespace={"__doc__": SecondReaderKeys.__doc__, "described_by": SecondReaderKeys},
    )


def drivers_in(values: Mapping[str, object]) -> dict[str, str]:
    """Each place in the values of a file with the name of its driver, where there is such a driver."""
    places = values.get("devices")
    named = places if isinstance(places, dict) else {}
    drivers = {place: str(keys.get("driver")) for place, keys in named.items() if isinstance(keys, dict)}
    return {place: name for place, name in drivers.items() if device(TAKES.get(place, place), name)}


def names_cards(driver: object) -> bool:
    """Whether a shoe with this driver says cards, and not codes that a map must read."""
    shoe = device("shoe", driver)
    return shoe is not None and issubclass(shoe, ShoeDevice) and shoe.names_cards


def settings_at(place: str, driver: str | None = None) -> tuple[type[DeviceSettings], ...]:
    """What may be at a place: the driver of this name; all drivers if none is named."""
    made_for = TAKES.get(place, place)
    named = device(made_for, driver)
    found = devices(made_for) if named is None else (named,)
    if place != "second_reader":
        return found
    seconds = [one for one in found if issubclass(one, ShoeDevice) and one.second]
    return tuple(map(second_reader, seconds)) if seconds else settings_at(place)


def driver_names(place: str) -> tuple[str, ...]:
    """The drivers that may be at a place, as they are written in a file."""
    return tuple(map(tag_of, settings_at(place)))


def usual_baud_rate(place: str, driver: str) -> int | None:
    """The speed of a device where its file names none; None if it has no serial line."""
    fields = msgspec.structs.fields(settings_at(place, driver)[0])
    return next((int(field.default) for field in fields if field.name == "baud_rate"), None)


def devices_struct(drivers: Mapping[str, str] | None) -> type[Devices]:
    """``Devices`` with the keys of the drivers at their places; None: with those of all drivers there are."""
    fields: list[tuple[str, Any, Any]] = []
    for field in msgspec.structs.fields(Devices):
        structs: tuple[type[DeviceSettings] | None, ...] = () if field.required else (None,)
        if drivers is None or field.name in drivers or field.required:
            structs = (*settings_at(field.name, (drivers or {}).get(field.name)), *structs)
        fields.append((field.name, Union[structs], field.default))  # noqa: UP007 (nobody knows them before)
    return composed(Devices, fields)


def composed(
    base: type[StructT], fields: Sequence[tuple[str, Any, Any]], name: str = "", **options: Any
) -> type[StructT]:
    """A struct with more fields than its base, or with others; `described_by` leads to their docstrings."""
    namespace = {"__doc__": base.__doc__, "described_by": base, **options.pop("namespace", {})}
    options |= {"bases": (base,), "namespace": namespace, "frozen": True, "kw_only": True}
    return cast(type[StructT], msgspec.defstruct(name or base.__name__, fields, **options))
