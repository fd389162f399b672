"""What a floor's new files change: at which tables, from what to what, and when that takes effect."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from controller.inventory.judging import Floor, PlannedTable
from controller.inventory.writing import file_of, files_of, table_text
from controller.settings.loader import load_configuration
from controller.settings.model import Configuration
from controller.settings.moments import Moment, moment_of
from controller.settings.words import below
from controller.vocabulary.errors import ConfigurationError


class Change(msgspec.Struct, frozen=True):
    """One setting that becomes another, at one or more tables."""

    key: str
    before: object
    """As TOML has it; None: the table had no such setting."""
    after: object
    when: Moment
    tables: tuple[str, ...]


class Changes(msgspec.Struct, frozen=True):
    """All that differs between the files of a folder and the inventory."""

    changes: tuple[Change, ...] = ()
    new: tuple[str, ...] = ()
    """Tables without a file so far."""
    gone: tuple[str, ...] = ()
    """Tables that have a file and are no longer in the inventory."""
    unread: dict[str, str] = {}
    """Table -> why its present file cannot be compared; it is written anew as a whole."""
    retired: dict[str, tuple[str, ...]] = {}
    """Consumer -> tables that no longer name it, and keep messages for it until it is retired there."""

    def __bool__(self) -> bool:
        return bool(self.changes or self.new or self.gone or self.unread)


def compare(floor: Floor, folder: Path) -> Changes:
    """What ``inventory --out`` would change in the folder. Defaults count: a key that is written as it holds
    anyway changes nothing."""
    found: dict[bytes, tuple[Change, list[str]]] = {}
    new: list[str] = []
    unread: dict[str, str] = {}
    retired: dict[str, list[str]] = {}
    for table in floor.tables:
        path = file_of(folder, table.id)
        if not path.exists():
            new.append(table.id)
            continue
        if path.read_bytes() == table_text(table).encode() and not _other_files(table, path.parent):
            continue
        try:
            before = load_configuration(path)
        except ConfigurationError as error:
            unread[table.id] = error.message
            continue
        for key, was, now in _differences(table, before, path.parent):
            change = Change(key, was, now, moment_of(key), ())
            found.setdefault(msgspec.json.encode(change), (change, []))[1].append(table.id)
        for name in before.mqtt.consumers:
            if name not in table.configuration.mqtt.consumers:
                retired.setdefault(name, []).append(table.id)
    return Changes(
        tuple(msgspec.structs.replace(change, tables=tuple(tables)) for change, tables in found.values()),
        tuple(new),
        tuple(_gone(floor, folder)),
        unread,
        {name: tuple(tables) for name, tables in retired.items()},
    )


def _differences(
    table: PlannedTable, before: Configuration, folder: Path
) -> Iterator[tuple[str, object, object]]:
    """Key path, then as it was and as it is to be."""
    old = dict(_leaves(before.canonical(), "", folder))
    new = dict(_leaves(table.configuration.canonical(), "", Path(table.configuration.file).parent))
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key), new.get(key)
        if was != now:
            yield key, was, now
    for key, name in _other_files(table, folder):
        if old.get(key) == new.get(key):
            yield key, name, f"{name}, with another content"


def _leaves(value: object, path: str, folder: Path) -> Iterator[tuple[str, object]]:
    """Each setting by its key path; a list is one. Files are named as from their own folder."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, below(path, key), folder)
    elif isinstance(value, str):
        yield path, value.removeprefix(f"{folder}/")
    elif value is not None:
        yield path, value


def _other_files(table: PlannedTable, folder: Path) -> list[tuple[str, str]]:
    """Key and name of the table's other files that are not yet as they are to be."""
    return [
        (key, name)
        for key, name, source in files_of(table)
        if not (folder / name).exists() or (folder / name).read_bytes() != source.read_bytes()
    ]


def _gone(floor: Floor, folder: Path) -> Iterator[str]:
    planned = {table.id for table in floor.tables}
    for inside in sorted(folder.iterdir()) if folder.is_dir() else ():
        if inside.name not in planned and file_of(folder, inside.name).exists():
            yield inside.name
