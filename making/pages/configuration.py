"""docs/reference/configuration.md: every key with its type, range, default and meaning."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from msgspec import inspect

from controller.games.registry import all_games
from controller.schema.documents import field_docstrings, struct_docstring
from controller.settings.model import complete_settings
from controller.settings.moments import MOMENTS, WORDS
from controller.settings.words import below, one_of, plain, quoted, wanted
from drivers.settings import DeviceSettings
from making.pages.text import page, plain_quotes, table

INTRODUCTION = """\
One TOML file is one table. Keys carry their units in their names. `dealer-table check-config FILE` names the path
of everything that is wrong, and what would be right. Relative paths are relative to the folder of the file.
The examples in [`config/`](../../config) show every key; `dealer-table schema configuration` prints the same as
a JSON Schema. The file is read at the start of the daemon; under each heading stands when a change takes effect
then. [The files of a whole floor](../how-to/many-tables.md) are made from one inventory.
"""
NAMED_ELSEWHERE = {"game.name": one_of(all_games())}
"""Keys whose values are listed in a table of the program, not in a type."""


def draw() -> str:
    """The page."""
    return page("Configuration", INTRODUCTION, *sections(complete_settings(), ""))


def sections(struct: type[msgspec.Struct], path: str) -> Iterator[str]:
    """A section for a table of the file, then those within it."""
    kind = inspect.type_info(struct)
    if not isinstance(kind, inspect.StructType):
        return
    docstrings = field_docstrings(struct)
    rows, inner = [], []
    for field in kind.fields:
        bare = plain(field.type)
        within = structs_of(bare)
        if within:
            inner += [(one, below(path, field.encode_name)) for one in within]
            continue
        meaning = plain_quotes(docstrings.get(field.name, ""))
        value = NAMED_ELSEWHERE.get(below(path, field.encode_name)) or wanted(field.type)
        rows.append((f"`{field.encode_name}`", value, default_of(field), meaning))
    if rows:
        yield f"## {title(struct, path)}\n\n{plain_quotes(struct_docstring(struct))}{takes_effect(path)}\n"
        yield table(("key", "value", "default", "meaning"), rows)
    for one, where in inner:
        yield from sections(one, where)


def takes_effect(path: str) -> str:
    """When a change of the keys of a table takes effect; a key that differs from the others is named."""
    if path not in MOMENTS:
        return ""
    others = {key: when for key, when in MOMENTS.items() if key.rpartition(".")[0] == path}
    keys = {when: [f"`{key.rpartition('.')[2]}`" for key in others if others[key] == when] for when in WORDS}
    said = [f"{', '.join(names)} {WORDS[when]}" for when, names in keys.items() if names]
    return f" A change takes effect {'; '.join([WORDS[MOMENTS[path]], *said])}."


def title(struct: type[msgspec.Struct], path: str) -> str:
    """The heading of the table in the file."""
    if issubclass(struct, DeviceSettings) and struct.__struct_config__.tag:
        return f"`[{path}]` with `driver = {quoted(struct.__struct_config__.tag)}`"
    return f"`[{path}]`" if path else "The file"


def structs_of(kind: inspect.Type) -> list[type[msgspec.Struct]]:
    """The structs that a key may be."""
    if isinstance(kind, inspect.StructType):
        return [kind.cls]
    if isinstance(kind, inspect.UnionType):
        return [one.cls for one in kind.types if isinstance(one, inspect.StructType)]
    return []


def default_of(field: inspect.Field) -> str:
    """What holds when the key is left out."""
    if field.required:
        return "must be written"
    if field.default is None:
        return "none"
    if field.default is not msgspec.NODEFAULT:
        return f"`{quoted(field.default)}`"
    return f"`{quoted(field.default_factory())}`" if callable(field.default_factory) else "none"
