"""Whether what Python runs is what the sources say: it runs compiled caches, which no manifest names.

Python trusts a cache that says the time and size of its source, and one of the kind "unchecked" whatever it
says. So a manifest of sources proves nothing where somebody wrote a cache: each one that Python would take is
compared with what its source compiles to, a few at a time, for that takes a moment (R01).
"""

from __future__ import annotations

import importlib.util
import marshal
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from controller.shell.identity import program_files

HEADER_BYTES = 16
HASHED, CHECKED = 0b01, 0b10
"""Flags of a cache (PEP 552): it names a hash of its source, and Python compares it."""


def forged(source: str) -> str | None:
    """What is wrong with the cache of a source file; None where there is none, or it says the same."""
    place = Path(importlib.util.cache_from_source(source))
    try:
        cache = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{place}: {error.strerror}"
    text = Path(source).read_bytes()
    if not _would_be_taken(cache, source, text):
        return None
    wanted = compile(text, source, "exec", dont_inherit=True)
    try:
        same = marshal.loads(cache[HEADER_BYTES:]) == wanted
    except (EOFError, ValueError, TypeError):
        same = False
    return None if same else f"{place}: is not what {source} says; delete it"


def _would_be_taken(cache: bytes, source: str, text: bytes) -> bool:
    """Whether Python would run this cache and not the source."""
    if len(cache) < HEADER_BYTES or cache[:4] != importlib.util.MAGIC_NUMBER:
        return False
    flags = int.from_bytes(cache[4:8], "little")
    if flags & HASHED:
        return not flags & CHECKED or cache[8:16] == importlib.util.source_hash(text)
    stat = Path(source).stat()
    return cache[8:16] == b"".join(
        (value & 0xFFFFFFFF).to_bytes(4, "little") for value in (int(stat.st_mtime), stat.st_size)
    )


def forged_caches(sources: Iterable[str] | None = None) -> list[str]:
    """All that is wrong with the caches of the program, a line each."""
    files = program_sources() if sources is None else sources
    return [found for source in files if (found := forged(source)) is not None]


def program_sources() -> list[str]:
    """Where the program's own modules lie."""
    return [path for _, path in program_files() if path.endswith(".py")]


class CacheWalk:
    """Goes through the program's caches a few at a time, and begins again when it is told to."""

    def __init__(self) -> None:
        self._left: deque[str] = deque()
        self._found: list[str] = []
        self.forged: str | None = None
        """The first that was found wrong in the last whole walk, or in this one."""

    def begin(self) -> None:
        """Walk through all of them."""
        self._left, self._found = deque(program_sources()), []

    def go_on(self, files: int) -> None:
        """Look at so many more."""
        if not self._left:
            return
        for _ in range(min(files, len(self._left))):
            found = forged(self._left.popleft())
            if found is not None:
                self._found.append(found)
                self.forged = self._found[0]
        if not self._left:
            self.forged = self._found[0] if self._found else None
