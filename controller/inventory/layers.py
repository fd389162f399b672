"""What a table is to be: defaults, its groups in turn, what holds for it alone; the last word counts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from controller.inventory.settings import Inventory, Keys, TableEntry
from controller.settings.model import Problem

_PLACEHOLDER = re.compile(r"\{([A-Za-z_]*)\}")


class Layer(NamedTuple):
    """Settings of one place in the inventory."""

    path: str
    """Its key path there: ``defaults``, ``groups.baccarat``, ``tables[3].set``."""
    keys: Keys


class Place(msgspec.Struct, frozen=True):
    """Which table a text is written for."""

    site: str
    table: str
    unit: str

    def filled(self, value: object, key: str, found: list[Problem]) -> object:
        """The value with its placeholders filled in, at any depth; what is no placeholder is ``found``."""
        if isinstance(value, str):
            return _PLACEHOLDER.sub(lambda match: self._word(match, key, found), value)
        if isinstance(value, list):
            return [self.filled(one, f"{key}[{place}]", found) for place, one in enumerate(value)]
        if isinstance(value, Mapping):
            below = f"{key}." if key else ""
            return {name: self.filled(one, f"{below}{name}", found) for name, one in value.items()}
        return value

    def _word(self, match: re.Match[str], key: str, found: list[Problem]) -> str:
        word = match[1]
        if word not in Place.__struct_fields__:
            known = ", ".join(f"{{{name}}}" for name in Place.__struct_fields__)
            found.append(Problem(key, f"{match[0]} stands for nothing; known are {known}"))
            return match[0]
        text: str = getattr(self, word)
        return text


def layers_of(inventory: Inventory, number: int) -> list[Layer]:
    """The layers of a table by its number in the file, the last word last."""
    table = inventory.tables[number]
    groups = [Layer(f"groups.{name}", inventory.groups[name]) for name in table.groups]
    return [Layer("defaults", inventory.defaults), *groups, Layer(f"tables[{number}].set", table.set)]


def merged(layers: list[Layer], table: TableEntry) -> tuple[Keys, list[str]]:
    """The settings of a table, and which of its ``without`` take nothing away.

    Tables of TOML are joined, a list is replaced. Who names a driver says the whole device: keys of another
    driver would be none of this one.
    """
    settings: Keys = {}
    for layer in layers:
        settings = _over(settings, layer.keys)
    return settings, [path for path in table.without if not _taken_out(settings, path.split("."))]


def _over(below: Mapping[str, object], above: Mapping[str, object]) -> Keys:
    joined = dict(below)
    for key, value in above.items():
        was = joined.get(key)
        if isinstance(was, Mapping) and isinstance(value, Mapping) and not _other_driver(was, value):
            joined[key] = _over(was, value)
        else:
            joined[key] = value
    return joined


def _other_driver(was: Mapping[str, object], now: Mapping[str, object]) -> bool:
    return "driver" in now and now["driver"] != was.get("driver")


def _taken_out(settings: Keys, path: list[str]) -> bool:
    key, *rest = path
    inner = settings.get(key)
    if not rest:
        return settings.pop(key, None) is not None
    if not isinstance(inner, Mapping):
        return False
    settings[key] = kept = dict(inner)  # what others share stays as it is
    return _taken_out(kept, rest)


def said_by(layers: list[Layer], key: str) -> str:
    """The place in the inventory that says this key of a table's file last, or the table of TOML that it is
    missing in, as ``groups.baccarat.round.bets_s``; where none does, the table's own exceptions.
    """
    for path in _upwards(key):
        for layer in reversed(layers):
            if _says(layer.keys, path):
                return f"{layer.path}.{key}"
    return f"{layers[-1].path}.{key}"


def _upwards(key: str) -> Iterator[list[str]]:
    """The key path, then the table that it stands in, and so on: a list is one key."""
    path = re.sub(r"\[\d+\]", "", key).split(".")
    while path:
        yield path
        path = path[:-1]


def _says(keys: object, path: list[str]) -> bool:
    for name in path:
        if not isinstance(keys, Mapping) or name not in keys:
            return False
        keys = keys[name]
    return True
