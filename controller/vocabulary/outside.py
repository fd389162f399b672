"""What somebody else wrote, before it is believed: a mark before the first line, a key that stands twice.

A byte order mark says nothing in UTF-8, but editors of Windows write one: it is left out at the beginning of
a file or of standard input, once, and nowhere else. Of two values under one key of an object, which one
counts? Neither: where money or cards hang on it, the object is refused.
"""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import TypeVar

import msgspec

from controller.vocabulary.errors import ConfigurationError, why

T = TypeVar("T")


class KeyTwice(msgspec.ValidationError):
    """A key stands twice in one object."""


def unmarked(raw: bytes) -> bytes:
    """What a file begins with, without the byte order mark."""
    return raw.removeprefix(codecs.BOM_UTF8)


def secret_in(key: str, file: Path) -> str:
    """The password or token that a file holds and nothing else, without the line end and the mark before it.
    ConfigurationError names ``key`` where the file cannot be read, or is none of text."""
    try:
        text = unmarked(file.read_bytes()).decode().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{key}: cannot use {file}: {why(error)}") from error
    if "\0" in text:
        raise ConfigurationError(f"{key}: cannot use {file}: this is no UTF-8 text")
    return text


def read_once(body: bytes, shape: type[T]) -> T:
    """JSON of this shape in which each key of an object stands once; raises what ``NOT_JSON`` lists."""
    value = msgspec.json.decode(body, type=shape)
    check_keys(body)
    return value


def check_keys(body: bytes) -> None:
    """:class:`KeyTwice` names a key that stands twice in one object of this JSON."""
    json.loads(body, object_pairs_hook=_once, parse_int=str, parse_float=str)


def _once(pairs: list[tuple[str, object]]) -> None:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise KeyTwice(f"the key {key!r} stands twice in one object")
        seen.add(key)
