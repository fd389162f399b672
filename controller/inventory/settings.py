"""``inventory FILE``: the tables of a floor in one file, TOML."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text.

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from controller.settings.loader import settings_of_file
from controller.settings.model import FilePath, Problem
from controller.vocabulary.configuration import PlainName
from controller.vocabulary.shown import meant

UNITS = "units"
RIGHTS = "acl"
"""Files of the floor, beside the folders of its tables."""
Keys = dict[str, object]
"""Tables and keys of a table's file; they are judged with the file that they become a part of."""
Unit = Annotated[
    str,
    msgspec.Meta(
        pattern=r"^[A-Za-z0-9{]([A-Za-z0-9_.{}-]{0,252}[A-Za-z0-9}])?$(?!\n)",
        description='the name of a machine, as "table-{table}.floor.example"',
    ),
]
KeyPath = Annotated[
    str, msgspec.Meta(pattern=r"^[a-z_0-9]+(\.[A-Za-z_0-9-]+)*$(?!\n)", description='as "devices.shuffler"')
]


class TableEntry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[[tables]]``: one table, and where it is unlike others."""

    id: PlainName
    """The number of the table; its file is ``<id>.toml``."""
    unit: Unit | None = None
    """The machine at this table; left out: ``unit`` of the whole file."""
    groups: tuple[PlainName, ...] = ()
    """Groups that it belongs to; what a later one says comes before what an earlier one says."""
    set: Keys = {}
    """What holds for this table alone; comes before defaults and groups."""
    without: tuple[KeyPath, ...] = ()
    """What defaults or groups say, and this table has not, as ``["devices.shuffler"]``."""


class RightsKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[rights]``: who may do what at a mosquitto. Of these two files the ``acl`` of the floor is made; each
    consumer and each table must have its rights in it."""

    acl: FilePath
    """The roles, as the shipped ``broker/acl``."""
    table: FilePath
    """The lines of one table, as the shipped ``broker/acl.table``."""


class Inventory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole file. In any text of a setting ``{site}``, ``{table}`` and ``{unit}`` stand for those of the
    table."""

    site: PlainName
    """Of all tables."""
    tables: Annotated[tuple[TableEntry, ...], msgspec.Meta(min_length=1)]
    unit: Unit = "table-{table}"
    """The machine at a table that names no other."""
    defaults: Keys = {}
    """What every table has, as in its own file: ``[defaults.mqtt]``."""
    groups: dict[str, Keys] = {}
    """What some tables have: ``[groups.baccarat.game]``."""
    retired: tuple[PlainName, ...] = ()
    """Consumers that are gone: no table may name one of them any more."""
    rights: RightsKeys | None = None


def load_inventory(path: Path) -> Inventory:
    """The inventory from its file. :class:`ConfigurationProblems` has all that is wrong with the file itself;
    its tables are judged by :func:`controller.inventory.judging.judge`."""
    return settings_of_file(path, Inventory, "the inventory", _problems)


def _problems(inventory: Inventory) -> Iterator[Problem]:
    for name, times in Counter(table.id for table in inventory.tables).items():
        if times > 1:
            yield Problem("tables", f'id = "{name}" is named {times} times; name each table once')
    for table in inventory.tables:
        if table.id in (UNITS, RIGHTS):
            message = f'id = "{table.id}": a file of the floor has this name; name the table otherwise'
            yield Problem("tables", message)
    used = {group for table in inventory.tables for group in table.groups}
    for place, table in enumerate(inventory.tables):
        for group in table.groups:
            if group not in inventory.groups:
                known = ", ".join(inventory.groups) or "none"
                hint = meant(group, inventory.groups, f"known are {known}")
                message = f'table {table.id}: there is no group "{group}"; {hint}'
                yield Problem(f"tables[{place}].groups", message)
    for group in inventory.groups:
        if group not in used:
            yield Problem(f"groups.{group}", "no table belongs to it; name it under groups, or take it out")
