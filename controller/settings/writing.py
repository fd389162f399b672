"""Values written as the TOML of a configuration: what ``setup`` puts into a file."""

from __future__ import annotations

from collections.abc import Mapping

from controller.settings.words import below, quoted

Values = Mapping[str, object]


def toml_text(values: Values) -> str:
    """TOML with one table for each part of the path; None stands for a key that is not written."""
    return "\n".join(_table(values, "")).lstrip("\n") + "\n"


def _table(values: Values, path: str) -> list[str]:
    plain = {
        key: value for key, value in values.items() if value is not None and not isinstance(value, Mapping)
    }
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping) and value}
    lines = [f"\n[{path}]"] if path and (plain or not tables) else []
    lines += [f"{below('', key)} = {_value(value)}" for key, value in plain.items()]
    for key, table in tables.items():
        lines += _table(table, below(path, key))
    return lines


def _value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(one) for one in value)}]"
    if isinstance(value, str):
        return quoted(value).replace("\x7f", "\\u007f")
    if isinstance(value, bool | int | float):
        return quoted(value)
    raise TypeError(f"{type(value).__name__} is no value of a configuration")


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
    """What stands at a key path, None where nothing does."""
    found: object = values
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found
