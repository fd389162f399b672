"""Whether what runs is what was approved: the program, and the files that decide what it does (R01, R02)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from controller.settings.model import Configuration
from controller.shell.caches import CacheWalk
from controller.shell.conditions import Found, Moment
from controller.shell.identity import check_manifest
from controller.vocabulary.conditions import IDENTITY

EVERY_NS = 2_000_000_000
IDENTITY_EVERY_NS = 24 * 3600 * 1_000_000_000
CACHES_AT_ONCE = 2
"""So many compiled caches are compared at each look: a few milliseconds, and all of them in six minutes."""
CACHES_WHILE_CLOSED = 16
"""The same while no round may open because of them: all in less than a minute, and few cards are to wait."""
NOT_APPROVED = "this is not the approved software: {}"


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
        return f"the manifest {manifest} cannot be read or compared: {error}"
    if not differences:
        return None
    return NOT_APPROVED.format(f"{differences[0]} ({len(differences)} differences)")
