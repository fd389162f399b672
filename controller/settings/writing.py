"""Values written as the TOML of a configuration: what ``setup`` puts into a file."""

from __future__ import annotations

from collections.abc import Mapping

import tomlkit

Values = Mapping[str, object]


def toml_text(values: Values) -> str:
    """TOML with one table for each part of the path; None stands for a key that is not written.

    TypeError for a value that TOML does not have.
    """
    return tomlkit.dumps(_present(values))


def _present(values: Values) -> Values:
    given = {key: value for key, value in values.items() if value is not None and value != {}}
    return {key: _present(value) if isinstance(value, Mapping) else value for key, value in given.items()}


def put(values: dict[str, object], path: str, value: object) -> None:
    """Put a value at a key path such as ``mqtt.tls.ca_file``; tables on the way are made."""
    *rooms, key = path.split(".")
    for room in rooms:
        inner = values.setdefault(room, {})
        if not isinstance(inner, dict):
            values[room] = inner = {}
        values = inner
    values[key] = value


def at(values: Values, path: str) -> object:
    """What stands at a key path, None if nothing does."""
    found: object = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found
