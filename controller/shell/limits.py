"""What must be well before a round may open: room in the outbox, and on the disk."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

from controller.settings.model import Configuration
from controller.shell.conditions import Found, Moment
from controller.vocabulary.conditions import DISK_SHORT, OUTBOX_FULL, OUTBOX_OLD, Condition, ConditionKind

EVERY_NS = 2_000_000_000
EASE = 0.9
"""A condition ends a tenth below its limit, so that it does not flutter."""
EARLY = 0.5
"""Half of a limit is said already, and stops nothing."""
MOST_MARKS = 4096
"""Of a long absence every second mark is dropped then: the oldest one, which decides, stays."""


class LimitWatch:
    """Compares outbox and disk with what the configuration allows."""

    def __init__(self, configuration: Configuration, stream: Callable[[], tuple[int, int]]) -> None:
        """``stream``: its head, and up to where every consumer has it."""
        self._mqtt, self._journal = configuration.mqtt, configuration.journal
        self._stream = stream
        self._backlog = BacklogAge()
        self._found: dict[str, Condition | None] = {}
        self._next_ns = 0
        self.oldest_s = 0.0
        """How long the oldest message that somebody has not acknowledged had waited at the last look."""

    def look(self, now: Moment) -> Found:
        """``outbox_full``, ``outbox_old`` and ``disk_short``."""
        if now.monotonic_ns >= self._next_ns:
            self._next_ns = now.monotonic_ns + EVERY_NS
            full, old, short = (now.held.get(kind.code) for kind in (OUTBOX_FULL, OUTBOX_OLD, DISK_SHORT))
            head, acknowledged = self._stream()
            # How long what is in the outbox at a start has waited, nobody has counted; the record knows of a
            # limit that was reached.
            part = 0.0 if old is None else 1.0 if old.blocks_opening else EARLY
            before_s = self._mqtt.max_unacknowledged_s * part
            self.oldest_s = self._backlog.age_s(head, acknowledged, now.monotonic_ns / 1e9, before_s)
            self._found = {
                OUTBOX_FULL.code: check_outbox(head - acknowledged, self._mqtt.max_waiting_messages, full),
                OUTBOX_OLD.code: check_age(self.oldest_s, self._mqtt.max_unacknowledged_s, old),
                DISK_SHORT.code: check_disk(
                    Path(self._journal.path).parent, self._journal.min_free_mb, short
                ),
            }
        return self._found


class BacklogAge:
    """How long the oldest message that somebody has not acknowledged has waited. By the monotonic clock, so
    that steps of the wall clock open and stop no round.
    """

    def __init__(self) -> None:
        self._marks: deque[tuple[int, float]] = deque()
        """The stream's head, and since when it has been there (or further on), in order."""

    def age_s(self, head: int, acknowledged: int, now_s: float, before_s: float = 0.0) -> float:
        """Seconds that the oldest message above ``acknowledged`` has waited, as far as the looks can tell; 0
        if none waits. ``before_s``: so long what waits at the first look had waited already.
        """
        if not self._marks:
            self._marks.append((head, now_s - before_s))
        elif head > self._marks[-1][0]:
            self._marks.append((head, now_s))
        while len(self._marks) > 1 and self._marks[0][0] <= acknowledged:
            self._marks.popleft()
        if len(self._marks) > MOST_MARKS:
            self._marks = deque(list(self._marks)[::2])
        oldest_head, since_s = self._marks[0]
        return now_s - since_s if oldest_head > acknowledged else 0.0


def check_outbox(pending: int, most: int, held: Condition | None) -> Condition | None:
    """Too many messages that some consumer has not acknowledged."""
    return judged(
        OUTBOX_FULL,
        pending / most,
        held,
        full=f"{pending} messages are not acknowledged, {most} may be: no round opens",
        early=f"{pending} messages are not acknowledged: with {most} no further round will open",
    )


def check_age(age_s: float, longest_s: int, held: Condition | None) -> Condition | None:
    """A message that some consumer has not acknowledged for too long; ``longest_s`` 0: there is no limit."""
    if not longest_s:
        return None
    return judged(
        OUTBOX_OLD,
        age_s / longest_s,
        held,
        full=f"a message has waited {age_s:.0f} s for a consumer, {longest_s} s it may: no round opens",
        early=f"a message has waited {age_s:.0f} s for a consumer: after {longest_s} s no further round"
        " will open",
    )


def check_disk(folder: Path, least_mb: int, held: Condition | None) -> Condition | None:
    """Too little disk for the record of the rounds to come, or none at all."""
    free = disk_free_bytes(folder)
    if free is None:
        return DISK_SHORT.holds(
            f"{folder} is no folder, or its disk is gone: no round opens; see what holds it"
        )
    return check_free(free // 1_000_000, least_mb, held)


def check_free(free_mb: int, least_mb: int, held: Condition | None) -> Condition | None:
    """So much of the disk is free, so much must be."""
    return judged(
        DISK_SHORT,
        least_mb / max(free_mb, 1),
        held,
        full=f"{free_mb} MB of disk are free, {least_mb} must be: no round opens",
        early=f"{free_mb} MB of disk are free: below {least_mb} MB no further round will open",
    )


def judged(
    kind: ConditionKind, part: float, held: Condition | None, *, full: str, early: str
) -> Condition | None:
    """``part`` of a limit is used: 1 and more stops the next opening (``full``), half of it is said
    (``early``). What holds already keeps its text, whose figures are those of its beginning.
    """
    if part >= (EASE if held is not None and held.blocks_opening else 1.0):
        found = kind.holds(full)
    elif part >= (EARLY * EASE if held is not None else EARLY):
        found = kind.holds(early, blocks_opening=False)
    else:
        return None
    return held if held is not None and held.blocks_opening == found.blocks_opening else found


def disk_free_bytes(folder: Path) -> int | None:
    """What an ordinary user may still write there; None if there is no folder, or its disk is gone."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return None
    return disk.f_bavail * disk.f_frsize
