"""The files of a floor: a folder for each table with all that its unit gets, the list of units, the rights.

tables/7/7.toml          and the code map and the pay table that it names by a relative path
tables/units             a line a table: its number, a tab, its unit
tables/acl               the rights at the broker, where the inventory has [rights]
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from controller.inventory.judging import Floor, PlannedTable
from controller.inventory.settings import RIGHTS, UNITS
from controller.settings.writing import toml_text

HEAD = "# Made by `dealer-table inventory`; what is changed here is lost. Change the inventory.\n\n"


def file_of(folder: Path, table: str) -> Path:
    """Where the file of a table lies in the folder of a floor."""
    return folder / table / f"{table}.toml"


def table_text(table: PlannedTable) -> str:
    """The file of a table."""
    return HEAD + toml_text(table.settings)


def files_of(table: PlannedTable) -> Iterator[tuple[str, str, Path]]:
    """The other files that the table brings: the key that names one, its name on the unit, its place here.

    What an absolute path names lies on the unit already.
    """
    home = Path(table.configuration.file).parent
    named = {"game.pay_table": table.configuration.game.pay_table, "cards.map": table.configuration.cards.map}
    for key, name in named.items():
        if name is None or name not in table.configuration.files():
            continue
        path = Path(name)
        if path.is_relative_to(home):
            yield key, str(path.relative_to(home)), path


def write(floor: Floor, site: str, folder: Path) -> list[Path]:
    """Write what is not yet as it is to be; which files that were. A folder of a table that is gone stays.

    OSError where something cannot be written; each file is whole, as it was or as it is to be.
    """
    wanted: dict[Path, bytes] = {}
    for table in floor.tables:
        file = file_of(folder, table.id)
        wanted[file] = table_text(table).encode()
        for _, name, source in files_of(table):
            wanted[file.parent / name] = source.read_bytes()
    wanted[folder / UNITS] = "".join(f"{table.id}\t{table.unit}\n" for table in floor.tables).encode()
    if floor.rights is not None:
        wanted[folder / RIGHTS] = floor.rights.text(site, [table.id for table in floor.tables]).encode()
    late = [path for path, body in wanted.items() if not path.exists() or path.read_bytes() != body]
    for path in late:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f".{path.name}.new")
        unfinished.write_bytes(wanted[path])
        os.replace(unfinished, path)
    return late
