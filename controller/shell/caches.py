"""Whether what Python runs is what the sources say: it runs compiled caches, which no manifest names.

Python trusts a cache that says the time and size of its source, and one of the kind "unchecked" whatever it
says. So a manifest of sources proves nothing if somebody wrote a cache: each one that Python would take is
compared with what its source compiles to, a few at a time, for that takes a moment (R01).
"""

from __future__ import annotations

import importlib.util
import marshal
import os
from collections import deque
from pathlib import Path

from controller.shell.identity import program_files

HEADER_BYTES = 16
HASHED, CHECKED = 0b01, 0b10
"""Flags of a cache (PEP 552): it names a hash of its source, and Python compares it."""


def forged(source: str) -> str | None:
    """What is wrong with the cache of a source file; None if there is none, Python would not run it, or it
    says the same. Never an exception: a table at work asks.
    """
    place = Path(importlib.util.cache_from_source(source))
    try:
        cache = place.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"{place}: {error.strerror}"
    try:
        stat = os.stat(source)
    except OSError:
        return None  # without its source Python runs no cache; that a source is gone, the manifest says
    try:
        text = Path(source).read_bytes()
    except OSError as error:
        if not _would_be_taken(cache, stat, None):
            return None
        return f"{place}: Python runs it, and {source} cannot be compared: {error.strerror}"
    if not _would_be_taken(cache, stat, text):
        return None
    try:
        wanted = compile(text, source, "exec", dont_inherit=True)
    except Exception as error:  # what is no program raises half a dozen unrelated types
        return f"{place}: Python runs it, and {source} is no program ({type(error).__name__}); delete it"
    try:
        same = marshal.loads(cache[HEADER_BYTES:]) == wanted
    except Exception:  # a flipped bit raises half a dozen unrelated types
        same = False
    return None if same else f"{place}: is not what {source} says; delete it"


def _would_be_taken(cache: bytes, stat: os.stat_result, text: bytes | None) -> bool:
    """Whether Python would run this cache and not the source; ``text`` None: the source cannot be read."""
    if len(cache) < HEADER_BYTES or cache[:4] != importlib.util.MAGIC_NUMBER:
        return False
    flags = int.from_bytes(cache[4:8], "little")
    if flags & HASHED:
        if not flags & CHECKED:
            return True
        return text is not None and cache[8:16] == importlib.util.source_hash(text)
    return cache[8:16] == b"".join(
        (value & 0xFFFFFFFF).to_bytes(4, "little") for value in (int(stat.st_mtime), stat.st_size)
    )


def forged_caches() -> list[str]:
    """All that is wrong with the caches of the program, a line each."""
    return [found for source in program_sources() if (found := forged(source)) is not None]


def program_sources() -> list[str]:
    """Where the program's own modules lie."""
    return [path for _, path in program_files() if path.endswith(".py")]


class CacheWalk:
    """Goes through the program's caches a few at a time, and begins again when it is told to."""

    def __init__(self) -> None:
        self._left: deque[str] | None = None
        """None before the first ``begin``."""
        self._found: list[str] = []
        self.done = False
        """Whether everything was seen once, in this walk or an earlier one."""
        self.forged: str | None = None
        """The first that was found wrong in the last whole walk, or in this one."""

    def begin(self) -> None:
        """Walk through all of them."""
        self._left, self._found = deque(), []
        try:
            self._left.extend(program_sources())
        except OSError as error:  # what runs is in memory: a table does not die of its folder
            self._found.append(f"{error.filename}: {error.strerror}")

    def go_on(self, files: int) -> None:
        """Look at so many more."""
        if self._left is None:
            return
        for _ in range(min(files, len(self._left))):
            found = forged(self._left.popleft())
            if found is not None:
                self._found.append(found)
                self.forged = self._found[0]
        if not self._left:
            self.done = True
            self.forged = self._found[0] if self._found else None
