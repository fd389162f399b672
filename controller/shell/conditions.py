"""What of the machine and the outbox must be well before a round may open, looked at every few seconds.

A condition is an event of the table when it begins and when it ends, so it stands in the record, blocks the
next opening where it must, and the running round is played to its end.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol

import msgspec

from controller.settings.model import Configuration
from controller.shell.caches import CacheWalk
from controller.shell.identity import check_manifest
from controller.shell.waiting import Waiting
from controller.vocabulary.events import ConditionChanged

EVERY_NS = 2_000_000_000
IDENTITY_EVERY_NS = 24 * 3600 * 1_000_000_000
WATCHED = ("outbox_full", "outbox_old", "disk_short", "identity")
CACHES_AT_ONCE = 2
"""So many compiled caches are compared at each look: a few milliseconds, and all of them in six minutes."""
CACHES_WHILE_CLOSED = 16
"""The same while no round may open because of them: all in less than a minute, and few cards are to wait."""
NOT_APPROVED = "this is not the approved software: {}"
EASE = 0.9
"""A condition ends a tenth below its limit, so that it does not flutter."""
EARLY = 0.5
"""Half of a limit is said already, and stops nothing."""


class Condition(msgspec.Struct, frozen=True):
    """A condition that holds now: what a person must know."""

    message: str
    blocks_opening: bool = True


class Held(Protocol):
    """What is known of a condition that holds."""

    @property
    def blocks_opening(self) -> bool:
        """Whether it stops the next opening; else it is the early word."""


def check_outbox(pending: int, most: int, held: Held | None) -> Condition | None:
    """Too many messages that some consumer has not acknowledged."""
    return judged(
        pending / most,
        held,
        full=f"{pending} messages are not acknowledged, {most} may be: no round opens",
        early=f"{pending} messages are not acknowledged: with {most} no further round will open",
    )


def check_age(age_s: float, longest_s: int, held: Held | None) -> Condition | None:
    """A message that some consumer has not acknowledged for too long; ``longest_s`` 0: there is no limit."""
    if not longest_s:
        return None
    return judged(
        age_s / longest_s,
        held,
        full=f"a message has waited {age_s:.0f} s for a consumer, {longest_s} s it may: no round opens",
        early=f"a message has waited {age_s:.0f} s for a consumer: after {longest_s} s no further round"
        " will open",
    )


def check_disk(free_mb: int, least_mb: int, held: Held | None) -> Condition | None:
    """Too little disk for the record of the rounds to come."""
    return judged(
        least_mb / max(free_mb, 1),
        held,
        full=f"{free_mb} MB of disk are free, {least_mb} must be: no round opens",
        early=f"{free_mb} MB of disk are free: below {least_mb} MB no further round will open",
    )


def judged(part: float, held: Held | None, *, full: str, early: str) -> Condition | None:
    """``part`` of a limit is used: 1 and more stops the next opening (``full``), half of it is said
    (``early``).
    """
    if part >= (EASE if held is not None and held.blocks_opening else 1.0):
        return Condition(full)
    if part >= (EARLY * EASE if held is not None else EARLY):
        return Condition(early, blocks_opening=False)
    return None


def check_identity(manifest: Path, files: Iterable[str] = ()) -> Condition | None:
    """The program, or a file that decides what it does, is not what was approved (R01, R02); ``files`` must
    be approved as well.
    """
    try:
        differences = check_manifest(manifest.read_text(encoding="utf-8"), files)
    except (OSError, ValueError) as error:  # ValueError: no UTF-8, or a name that no file can have
        return Condition(f"the manifest {manifest} cannot be read or compared: {error}"[:400])
    if not differences:
        return None
    return Condition(NOT_APPROVED.format(f"{differences[0]} ({len(differences)} differences)")[:400])


def disk_free_bytes(folder: Path) -> int | None:
    """What an ordinary user may still write there; None where there is no folder, or its disk is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize


class Watch:
    """Looks, and tells the table what has changed."""

    def __init__(
        self,
        configuration: Configuration,
        stream: Callable[[], tuple[int, int]],
        tell: Callable[[ConditionChanged], None],
        known: Mapping[str, Held],
    ) -> None:
        """``stream``: its head, and up to where every consumer has it. ``known``: conditions that the
        record says hold, from before the start.
        """
        self._configuration = configuration
        self._stream = stream
        self._tell = tell
        manifest = configuration.identity.manifest
        self._manifest = None if manifest is None else Path(manifest)
        self._held: dict[str, Held] = {name: held for name, held in known.items() if name in WATCHED}
        longest_s = configuration.mqtt.max_unacknowledged_s
        # How long what is in the outbox at a start has waited, nobody has counted; the record knows of a
        # limit that was reached.
        self._waiting = Waiting(longest_s * self._reached("outbox_old"))
        self._next_ns = self._next_identity_ns = 0
        self._other: Condition | None = None
        """What the last look at the manifest said."""
        self._caches = CacheWalk()
        self.oldest_s = 0.0
        """How long the oldest message that somebody has not acknowledged had waited at the last look."""

    def _reached(self, name: str) -> float:
        """The part of a limit that the record knows to be used."""
        held = self._held.get(name)
        return 0.0 if held is None else 1.0 if held.blocks_opening else EARLY

    def look(self, now_ns: int) -> None:
        """Look where it is time again; cheap to call at every step of the loop."""
        if now_ns < self._next_ns:
            return
        self._next_ns = now_ns + EVERY_NS
        mqtt, journal = self._configuration.mqtt, self._configuration.journal
        head, acknowledged = self._stream()
        self.oldest_s = age_s = self._waiting.age_s(head, acknowledged, now_ns / 1e9)
        held = self._held.get
        self._note(
            "outbox_full", check_outbox(head - acknowledged, mqtt.max_waiting_messages, held("outbox_full"))
        )
        self._note("outbox_old", check_age(age_s, mqtt.max_unacknowledged_s, held("outbox_old")))
        self._note("disk_short", self._disk(Path(journal.path).parent, journal.min_free_mb))
        found = None if self._manifest is None else self._identity(self._manifest, now_ns)
        # What an earlier life found may be the cache that this one comes to last.
        if found is not None or self._manifest is None or self._caches.done:
            self._note("identity", found)

    def _identity(self, manifest: Path, now_ns: int) -> Condition | None:
        if now_ns >= self._next_identity_ns:
            self._next_identity_ns = now_ns + IDENTITY_EVERY_NS
            self._other = check_identity(manifest, self._configuration.files())
            self._caches.begin()
        self._caches.go_on(CACHES_WHILE_CLOSED if "identity" in self._held else CACHES_AT_ONCE)
        forged = self._caches.forged
        return self._other or (None if forged is None else Condition(NOT_APPROVED.format(forged)[:400]))

    def _disk(self, folder: Path, least_mb: int) -> Condition | None:
        free = disk_free_bytes(folder)
        if free is None:
            return Condition(f"{folder} is no folder, or its disk is gone: no round opens; see what holds it")
        return check_disk(free // 1_000_000, least_mb, self._held.get("disk_short"))

    def _note(self, name: str, condition: Condition | None) -> None:
        before = self._held.get(name)
        if condition is None and before is not None:
            del self._held[name]
            self._tell(ConditionChanged(name, active=False))
        elif condition is not None and (before is None or before.blocks_opening != condition.blocks_opening):
            self._held[name] = condition
            self._tell(ConditionChanged(name, True, condition.message, condition.blocks_opening))
