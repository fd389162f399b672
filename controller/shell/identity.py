"""Who this software is: its version, one digest over every file of it, and a manifest that outsiders can
check (R01).

The manifest is in the form that ``sha256sum -c`` reads, so that a laboratory needs none of our code to
check it.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import controller
from controller.vocabulary.errors import why

PACKAGES = ("controller", "drivers")
COMMENT = "#"
"""Begins a line of a manifest that names no file; ``sha256sum -c`` passes over it too."""
_LEFT_OUT = "__pycache__"


@cache
def software_digest() -> str:
    """SHA-256, hex, over the names and digests of all files of the two packages, sorted by name."""
    lines = [f"{digest_of(path)}  {name}\n" for name, path in program_files()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def program_files() -> list[tuple[str, str]]:
    """Every file of the program but compiled caches: its name in the package, and where it lies; sorted by
    name.
    """
    found: list[tuple[str, str]] = []
    for package in PACKAGES:
        spec = find_spec(package)
        for root in (spec.submodule_search_locations or ()) if spec is not None else ():
            found += [(f"{package}{path[len(root) :]}", path) for path in _files_below(root)]
    return sorted(found)


def _files_below(folder: str) -> Iterator[str]:
    """Every file in a folder and in those within; plain strings, for this is walked at every start."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                if entry.name != _LEFT_OUT:
                    yield from _files_below(entry.path)
            elif entry.is_file():
                yield entry.path


def digest_of(path: str | Path) -> str:
    """SHA-256 of a file, hex."""
    with open(path, "rb", buffering=0) as file:
        return hashlib.sha256(file.readall()).hexdigest()


def manifest(others: Iterable[Path] = ()) -> str:
    """The program and the files named (configuration, pay table, code map), a line each: digest, two
    spaces, path.
    """
    paths = [path for _, path in program_files()] + [str(path.absolute()) for path in others]
    return "".join(f"{digest_of(path)}  {path}\n" for path in paths)


def check_manifest(text: str, others: Iterable[str] = ()) -> list[str]:
    """What differs from a manifest, one line for each file, and what it does not name: files of the program,
    and ``others`` that it should.
    """
    found: list[str] = []
    named: set[str] = set()
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith(COMMENT):
            continue
        digest, gap, name = line.partition("  ")
        if not gap or len(digest) != 64:
            found.append(f"line {number} of the manifest is no line of sha256sum")
            continue
        named.add(name)
        try:
            now = digest_of(name)
        except OSError as error:
            found.append(f"{name}: {why(error)}")
            continue
        if now != digest:
            found.append(f"{name}: was changed")
    found += [f"{path}: not in the manifest" for _, path in program_files() if path not in named]
    there = {os.path.realpath(name) for name in named}
    return found + [f"{path}: not in the manifest" for path in others if os.path.realpath(path) not in there]


def version() -> str:
    """The version of the program."""
    return controller.__version__
