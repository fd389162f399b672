"""From plain values to structs, with every problem said: key path, what stands there, what would be right.

The structs are the only description: types, ranges and defaults are read from them (``msgspec.inspect``), so
a new key is one line in a struct.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import inspect

from controller.settings.model import Problem
from controller.settings.words import SECRETS, below, is_file, one_of, plain, shown, tags, wanted
from controller.vocabulary.shown import nearest
from drivers.errors import DeviceSettingsError

StructT = TypeVar("StructT", bound=msgspec.Struct)
Values = Mapping[str, object]


class _Wrong:
    """Stands for a value that could not be read."""


WRONG: Final = _Wrong()


class Reader:
    """Reads the values of one file; ``problems`` grows in the order of the walk."""

    def __init__(self, root: type[msgspec.Struct], folder: Path | None = None) -> None:
        """``folder``: where a relative path of a file begins; None leaves it as it stands."""
        self._folder = folder
        self.problems: list[Problem] = []
        self.tables: dict[str, object] = {}
        """Every table that could be built, by its path, also where the file as a whole could not."""
        self._root = root

    def read(self, values: object, struct: type[StructT], path: str = "") -> StructT | None:
        """A struct of the type, or None if a key that must be there is missing or wrong.

        Another key with a wrong value takes its default, so that what stands beside it is judged as well.
        """
        built = self._value(values, _type(struct), path)
        return built if isinstance(built, struct) else None

    def add(self, problems: Iterable[Problem]) -> None:
        """Add problems that others found."""
        for problem in problems:
            self.say(problem.key, problem.message)

    def say(self, key: str, message: str) -> None:
        """Add a problem; another about the same key, or about its table, would only follow from the first."""
        if not any(problem.key == key or problem.key.startswith(f"{key}.") for problem in self.problems):
            self.problems.append(Problem(key, message))

    def _value(self, value: object, kind: inspect.Type, path: str) -> object:
        match plain(kind):
            case inspect.StructType() as struct if isinstance(value, dict):
                return self._struct(value, struct, path)
            case inspect.UnionType(types) if isinstance(value, dict):
                return self._tagged(value, tags(types), path)
            case inspect.VarTupleType(item_type=item) as several if isinstance(value, list):
                if len(value) < (several.min_length or 0):
                    return self._refuse(value, kind, path)
                read = [self._value(one, item, f"{path}[{place}]") for place, one in enumerate(value)]
                return WRONG if WRONG in read else tuple(read)
            case inspect.DictType(value_type=of) if isinstance(value, dict):
                named = {name: self._value(one, of, below(path, name)) for name, one in value.items()}
                return WRONG if WRONG in named.values() else named
            case inspect.FloatType() as number if _is_number(number, value):
                return value
            case inspect.IntType() as number if isinstance(value, int) and _is_number(number, value):
                return value
            case inspect.StrType() as text if isinstance(value, str) and _is_text(text, value):
                return value if self._folder is None or not is_file(kind) else str(self._folder / value)
            case inspect.CustomType(cls=type_) if type_ is object:  # judged with what it becomes a part of
                return value
            case inspect.BoolType() if isinstance(value, bool):
                return value
            case inspect.LiteralType(values) if type(value) in (str, int) and value in values:
                return value
        return self._refuse(value, kind, path)

    def _struct(self, values: Values, kind: inspect.StructType, path: str) -> object:
        known = [field.encode_name for field in kind.fields]
        if kind.tag_field is not None:
            known.insert(0, kind.tag_field)
            self._tag(values, (str(kind.tag),), kind.tag_field, path)
        for key in values:
            if key not in known:
                self._unknown(path, key, known)
        read: dict[str, object] = {}
        whole = True
        for field in kind.fields:
            where = below(path, field.encode_name)
            value: object = WRONG
            if field.encode_name in values:
                value = self._value(values[field.encode_name], field.type, where)
            elif field.required and isinstance(plain(field.type), inspect.StructType):
                self._value({}, field.type, where)  # what is missing are its keys
            elif field.required:
                self.say(where, f"missing; needed is {wanted(field.type)}")
            if value is not WRONG:
                read[field.name] = value
            elif field.required:
                whole = False
        if not whole:
            return WRONG
        try:
            self.tables[path] = built = kind.cls(**read)
        except DeviceSettingsError as error:
            self.say(below(path, error.key), error.problem)
            return WRONG
        return built

    def _tagged(self, values: Values, structs: Mapping[str, inspect.StructType], path: str) -> object:
        """One of several structs, by its tag (``driver``)."""
        tag = self._tag(values, structs, next(iter(structs.values())).tag_field or "", path)
        return WRONG if tag is None else self._struct(values, structs[tag], path)

    def _tag(self, values: Values, known: Collection[str], name: str, path: str) -> str | None:
        tag = values.get(name)
        if isinstance(tag, str) and tag in known:
            return tag
        if tag is None:
            self.say(below(path, name), f"missing; needed is {one_of(known)}")
        else:
            self._refuse(tag, inspect.LiteralType(tuple(known)), below(path, name))
        return None

    def _refuse(self, value: object, kind: inspect.Type, path: str) -> object:
        message = f"{shown(path, value)} is wrong; needed is {wanted(kind)}"
        bare = plain(kind)
        if isinstance(bare, inspect.LiteralType) and (near := nearest(value, bare.values)):
            message += f'; did you mean "{near}"?'
        elif isinstance(bare, inspect.StrType) and not isinstance(value, str | list | dict):
            message += ", in quotes"
        self.say(path, message)
        return WRONG

    def _unknown(self, path: str, key: str, known: list[str]) -> None:
        if key in SECRETS:
            hint = "a secret never stands in this file; put it into a file of its own, as mqtt.password_file"
            self.say(below(path, key), hint)
            return
        # Every other table that has this key, once.
        found = dict.fromkeys(room for room, name in _keys(_type(self._root), "") if name == key)
        rooms = [f"[{room}]" if room else "no table" for room in found if room != path]
        if near := nearest(key, known):
            hint = f"did you mean {near}?"
        elif rooms:
            hint = f"it belongs in {' or '.join(rooms)}"
        else:
            hint = f"known here: {', '.join(sorted(known))}"
        self.say(below(path, key), f"there is no such key; {hint}")


@cache
def _type(struct: type[msgspec.Struct]) -> inspect.Type:
    """What a struct is made of; to find that out takes milliseconds."""
    return inspect.type_info(struct)


def _keys(kind: inspect.Type, path: str) -> Iterator[tuple[str, str]]:
    """Every table and key of a type."""
    bare = plain(kind)
    if isinstance(bare, inspect.UnionType):
        for one in bare.types:
            yield from _keys(one, path)
    elif isinstance(bare, inspect.StructType):
        for field in bare.fields:
            yield path, field.encode_name
            yield from _keys(field.type, below(path, field.encode_name))


def _is_number(kind: inspect.IntType | inspect.FloatType, value: object) -> bool:
    """A finite number in the range; NaN is in no range, and true is no number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    if not abs(value) < 2**63 or not math.isfinite(value):
        return False
    return (
        (kind.ge is None or value >= kind.ge)
        and (kind.gt is None or value > kind.gt)
        and (kind.le is None or value <= kind.le)
        and (kind.lt is None or value < kind.lt)
    )


def _is_text(kind: inspect.StrType, value: str) -> bool:
    if len(value) < (kind.min_length or 0) or (kind.max_length is not None and len(value) > kind.max_length):
        return False
    return kind.pattern is None or re.search(kind.pattern, value) is not None
