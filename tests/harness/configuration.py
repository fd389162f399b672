"""The configuration of a table: what every test has in common, and what one test says otherwise."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from controller.settings.writing import toml_text

TABLE = """
table = { site = "north", id = "7" }
game.name = "baccarat"
mqtt.port = 1
journal.path = "{folder}/journal.db"
"""
"""A table without devices; nobody listens where its broker should be."""
PANEL = """
[devices.panel]
driver = "keypad"
port = "{folder}/keypad"
"""

Given = str | Mapping[str, object]
"""TOML text, in which ``{folder}`` is the folder of the test, or values."""


def configuration(folder: Path, *given: Given) -> str:
    """The text of a configuration: of each key the last that was given counts."""
    values: dict[str, object] = {}
    for one in (TABLE, *given):
        merge(values, tomllib.loads(one.replace("{folder}", str(folder))) if isinstance(one, str) else one)
    if isinstance(broker := values["mqtt"], dict) and "hosts" in broker:
        broker.pop("port")  # they say it
    return toml_text(values)


def configured(folder: Path, *given: Given) -> Path:
    """The same as a file in the folder of the test."""
    path = folder / "table.toml"
    path.write_text(configuration(folder, *given))
    return path


def merge(values: dict[str, object], more: Mapping[str, object]) -> None:
    """Put the second into the first, table by table; a device is given as a whole."""
    for key, value in more.items():
        there = values.get(key)
        if isinstance(value, Mapping) and isinstance(there, dict) and "driver" not in value:
            merge(there, value)
        else:
            values[key] = dict(value) if isinstance(value, Mapping) else value
