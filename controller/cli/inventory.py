"""``inventory``: the tables of a floor from one file: right as a whole, what changes, and the files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from controller.cli.check_config import wrong_file
from controller.cli.telling import (
    COUNTED,
    FAILED,
    WRONG_CALL,
    columns,
    complain,
    patience,
    print_json,
    print_lines,
)
from controller.inventory.changes import Changes, compare
from controller.inventory.judging import Floor, judge, several
from controller.inventory.settings import Inventory, load_inventory
from controller.inventory.writing import write
from controller.settings.moments import WORDS
from controller.settings.words import quoted
from controller.vocabulary.errors import ConfigurationError

WIDEST = 60
"""So many characters of a value are shown."""


def run(arguments: argparse.Namespace) -> int:
    """0 if all is right; with ``--diff`` 1 if something would change; 2 with all that is wrong."""
    path = Path(arguments.file).absolute()
    try:
        inventory = load_inventory(path)
        with patience(COUNTED):
            floor = judge(inventory, path.parent)
    except ConfigurationError as error:
        return wrong_file(error, as_json=arguments.json)
    folder = arguments.out or arguments.diff
    changes = Changes() if floor.problems or folder is None else compare(floor, Path(folder))
    if arguments.out is not None and not floor.problems:
        write(floor, inventory.site, Path(arguments.out))
    status = WRONG_CALL if floor.problems else FAILED if arguments.diff is not None and changes else 0
    if arguments.json:
        answer = {"valid": not floor.problems, "problems": floor.problems, "warnings": floor.warnings}
        tables = [{"table": table.id, "unit": table.unit} for table in floor.tables]
        print_json(answer | {"site": inventory.site, "tables": tables} | _told(changes))
        return status
    for problem in floor.problems:
        complain(f"{arguments.file}: {problem}")
    for warning in floor.warnings:
        complain(f"warning: {warning}")
    if not floor.problems:
        print_lines(_right(arguments.file, inventory, floor))
        if folder is not None:
            print_lines(_changed(changes))
    return status


def _told(changes: Changes) -> dict[str, object]:
    return {name: getattr(changes, name) for name in Changes.__struct_fields__}


def _right(file: str, inventory: Inventory, floor: Floor) -> list[str]:
    units = len({table.unit for table in floor.tables})
    yours = f"{len(floor.tables)} tables of {inventory.site} on {units} units"
    return [f"{file} is right: {yours if len(floor.tables) > 1 else f'one table of {inventory.site}'}"]


def _changed(changes: Changes) -> Iterator[str]:
    """What is another than in the folder, for people."""
    if not changes:
        yield "nothing changes"
        return
    for what, tables in (("new", changes.new), ("no more in the inventory", changes.gone)):
        if tables:
            yield f"{what}: {several(tables)}"
    for table, why in changes.unread.items():
        yield f"written anew, the file of table {table} cannot be compared: {why}"
    rows = [
        (
            several(change.tables),
            change.key,
            f"{_shown(change.before)} -> {_shown(change.after)}",
            change.when,
        )
        for change in changes.changes
    ]
    if rows:
        yield from columns([("at", "setting", "change", "takes effect"), *rows])
        for when in dict.fromkeys(change.when for change in changes.changes):
            yield f"{when}: {WORDS[when]}"
    for name, tables in changes.retired.items():
        keep = "keeps" if len(tables) == 1 else "keep"
        yield f"{several(tables)} {keep} messages for {name} until it is retired there"


def _shown(value: object) -> str:
    if value is None:
        return "none"
    text = quoted(value)
    return text if len(text) <= WIDEST else text[:WIDEST] + "..."
