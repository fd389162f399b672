"""Whether what runs is what was approved: the program, and the files that decide what it does (R01, R02).

Python runs compiled caches, which no manifest names. It trusts a cache that says the time and size of its
source, and one of the kind "unchecked" whatever it says. So a manifest of sources proves nothing if somebody
wrote a cache: each one that Python would take is compared with what its source compiles to, a few at a time,
for that takes a moment.
"""

from __future__ import annotations

import importlib.util
import marshal
import os
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from controller.settings.model import Configuration
from controller.shell.conditions import Found, Moment
from controller.shell.identity import check_manifest, program_files
from controller.vocabulary.conditions import IDENTITY
from controller.vocabulary.errors import why

EVERY_NS = 2_000_000_000
IDENTITY_EVERY_NS = 24 * 3600 * 1_000_000_000
CACHES_AT_ONCE = 2
"""So many compiled caches are compared at each look: a few milliseconds, and all of them in six minutes."""
CACHES_WHILE_CLOSED = 16
"""The same while no round may open because of them: all in less than a minute, and few cards are to wait."""
NOT_APPROVED = "this is not the approved software: {}"
HEADER_BYTES = 16
HASHED, CHECKED = 0b01, 0b10
"""Flags of a cache (PEP 552): it names a hash of its source, and Python compares it."""


class ApprovalWatch:
    """Compares every file with the manifest once a day, and compiled caches a few at a time."""

    def __init__(self, configuration: Configuration) -> None:
        self._configuration = configuration
        self._caches = CacheWalk()
        self._next_ns = self._next_manifest_ns = 0
        self._difference: str | None = None
        """What the last look at the manifest said."""
        self._found: Found = {}

    def look(self, now: Moment) -> Found:
        """``identity``; unknown until every cache was seen: what an earlier life found may be the last."""
        if now.monotonic_ns >= self._next_ns:
            self._next_ns = now.monotonic_ns + EVERY_NS
            self._found = self._looked(now)
        return self._found

    def _looked(self, now: Moment) -> Found:
        manifest = self._configuration.identity.manifest
        if manifest is None:
            return {IDENTITY.code: None}
        if now.monotonic_ns >= self._next_manifest_ns:
            self._next_manifest_ns = now.monotonic_ns + IDENTITY_EVERY_NS
            self._difference = check_approved(Path(manifest), self._configuration.files())
            self._caches.begin()
        self._caches.go_on(CACHES_WHILE_CLOSED if IDENTITY.code in now.held else CACHES_AT_ONCE)
        difference = self._difference
        if difference is None and self._caches.forged is not None:
            difference = NOT_APPROVED.format(self._caches.forged)
        if difference is not None:
            return {IDENTITY.code: IDENTITY.holds(difference)}
        return {IDENTITY.code: None} if self._caches.done else {}


def check_approved(manifest: Path, files: Iterable[str] = ()) -> str | None:
    """The first difference from what was approved, None if there is none; ``files`` are part of it."""
    try:
        differences = check_manifest(manifest.read_text(encoding="utf-8"), files)
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name that no file can have
        return f"the manifest {manifest} cannot be read or compared: {why(error)}"
    if not differences:
        return None
    return NOT_APPROVED.format(f"{differences[0]} ({len(differences)} differences)")


class CacheWalk:
    """Goes through the program's caches a few at a time, and begins again when it is told to."""

    def __init__(self) -> None:
        self._left: deque[str] = deque()
        self._found: str | None = None
        """The first that this walk found wrong."""
        self.done = False
        """Whether everything was seen once, in this walk or an earlier one."""
        self.forged: str | None = None
        """The first that was found wrong in the last whole walk, or in this one."""

    def begin(self) -> None:
        """Walk through all of them."""
        self._left, self._found = deque(), None
        try:
            self._left.extend(program_sources())
        except OSError as error:  # what runs is in memory: a table does not die of its folder
            self._found = f"{error.filename}: {why(error)}"

    def go_on(self, files: int) -> None:
        """Look at so many more."""
        for _ in range(min(files, len(self._left))):
            found = forged(self._left.popleft())
            self._found = self._found or found
            self.forged = self._found or self.forged
        if not self._left:
            self.done, self.forged = True, self._found


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
        return f"{place}: {why(error)}"
    try:
        stat = os.stat(source)
    except OSError:
        return None  # without its source Python runs no cache; that a source is gone, the manifest says
    try:
        text = Path(source).read_bytes()
    except OSError as error:
        if not _would_be_taken(cache, stat, None):
            return None
        return f"{place}: Python runs it, and {source} cannot be compared: {why(error)}"
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


def forged_caches(others: Iterable[str] = ()) -> list[str]:
    """All that is wrong with the caches of the program, and of other sources, a line each."""
    sources = (*program_sources(), *others)
    return [found for source in sources if (found := forged(source)) is not None]


def program_sources() -> list[str]:
    """Where the program's own modules lie."""
    return [path for _, path in program_files() if path.endswith(".py")]
