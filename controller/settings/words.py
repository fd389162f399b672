"""What an error says: what the file has, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from msgspec import inspect

SECRETS = ("password", "secret", "passphrase", "token")
"""Words of keys whose value is never shown; such a key is never right."""

LONGEST_SHOWN = 60


def below(path: str, key: str) -> str:
    """The path of a key in a table; a key that is no bare TOML key is quoted."""
    bare = key.isascii() and key.replace("_", "").replace("-", "").isalnum()
    shown = key if bare else quoted(key[:LONGEST_SHOWN])
    return f"{path}.{shown}" if path else shown


def plain(kind: inspect.Type) -> inspect.Type:
    """The type without its metadata, and without the None that TOML cannot write."""
    while isinstance(kind, inspect.Metadata):
        kind = kind.type
    if isinstance(kind, inspect.UnionType):
        rest = tuple(one for one in kind.types if not isinstance(one, inspect.NoneType))
        return plain(rest[0]) if len(rest) == 1 else inspect.UnionType(rest)
    return kind


def wanted(kind: inspect.Type) -> str:
    """What would be right."""
    described = _description(kind)
    if described:
        return described
    match plain(kind):
        case inspect.IntType() as number:
            return f"a whole number{_range(number)}"
        case inspect.FloatType() as number:
            return f"a number{_range(number)}"
        case inspect.LiteralType(values):
            return one_of(values)
        case inspect.BoolType():
            return "true or false"
        case inspect.StrType(min_length=least, max_length=most):
            return f"text of {least or 0} to {most} characters" if most else "text"
        case inspect.VarTupleType(item_type=item, min_length=least):
            several = f"a list of {least} or more" if least else "a list"
            return f"{several}, each {wanted(item)}"
        case inspect.DictType(value_type=of):
            return f"a table, each {wanted(of)}"
        case inspect.UnionType(types):
            return f"a table with driver = {one_of(tag for tag in tags(types))}"
        case inspect.StructType(tag=str(tag), tag_field=str(name)):
            return f"a table with {name} = {quoted(tag)}"
        case _:
            return "a table of keys"


def tags(types: Iterable[inspect.Type]) -> dict[str, inspect.StructType]:
    """The structs of a union by their tag."""
    return {str(one.tag): one for one in types if isinstance(one, inspect.StructType)}


def one_of(values: Iterable[object]) -> str:
    """All that a key may be."""
    listed = [quoted(value) for value in values]
    return listed[0] if len(listed) == 1 else f"one of {', '.join(listed)}"


def shown(path: str, value: object) -> str:
    """The value in the file, cut short; never a secret."""
    if any(word in path.rpartition(".")[2] for word in SECRETS):
        return "what stands there"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, int) and abs(value) >= 2**63:
        return "this huge number"  # also because Python refuses to write numbers of many digits
    text = quoted(value) if isinstance(value, str | bool) else str(value)
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "..."


def quoted(value: object) -> str:
    """As it would be written in the file."""
    return msgspec.json.encode(value).decode()


def is_file(kind: inspect.Type) -> bool:
    """Whether a key of this type names a file."""
    return any((note.extra or {}).get("file") for note in _notes(kind))


def _description(kind: inspect.Type) -> str | None:
    described = [(note.extra_json_schema or {}).get("description") for note in _notes(kind)]
    return next((str(words) for words in described if words), None)


def _notes(kind: inspect.Type) -> Iterator[inspect.Metadata]:
    """What is said about a type, or about the only one beside None."""
    if isinstance(kind, inspect.Metadata):
        yield kind
        yield from _notes(kind.type)
    elif isinstance(kind, inspect.UnionType):
        rest = [one for one in kind.types if not isinstance(one, inspect.NoneType)]
        if len(rest) == 1:
            yield from _notes(rest[0])


def _range(kind: inspect.IntType | inspect.FloatType) -> str:
    if kind.ge is None:
        return ""
    if kind.lt is not None:
        return f" from {kind.ge} to below {kind.lt}"
    return f" of {kind.ge} or more" if kind.le is None else f" from {kind.ge} to {kind.le}"
