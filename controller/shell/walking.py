"""The whole record is walked after every start and once a day, in slices of a few milliseconds, while the
table is at work.

What is damaged is a condition: the running round ends, no further one opens. It is over when a later walk
has come through, in this life or the next.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from controller.journal.walk import Walk
from controller.vocabulary.errors import JournalError
from controller.vocabulary.events import ConditionChanged

log = logging.getLogger(__name__)

WALK_EVERY_NS = 24 * 3600 * 1_000_000_000
AGAIN_NS = 60 * 1_000_000_000
"""What was found is looked at again so often: a disk may fail to read once and not again."""
ROWS = 32
"""Records of one step, with their messages: a third of a millisecond."""
IDLE_NS, IDLE_EVERY_NS = 4_000_000, 50_000_000
"""Between two rounds: so long is a slice, and so far apart are two."""
BUSY_NS, BUSY_EVERY_NS = 1_000_000, 1_000_000_000
"""In a round: so that the walk ends also at a table that is never idle for long."""
CODES = ("journal_damaged", "snapshot_damaged")


class Known(Protocol):
    """What is known of a condition that holds."""

    @property
    def message(self) -> str:
        """What a person was told."""


class Walker:
    """Walks where the table has time, and tells it what was found."""

    def __init__(
        self,
        walk: Callable[[], Walk],
        damaged_snapshots: Callable[[], list[int]],
        clock_ns: Callable[[], int],
        tell: Callable[[ConditionChanged], None],
        known: Mapping[str, Known],
    ) -> None:
        """``walk`` begins a new walk over the journal. ``clock_ns``: monotonic. ``known``: conditions that
        the record says hold, from before the start.
        """
        self._begin = walk
        self._damaged_snapshots = damaged_snapshots
        self._clock_ns = clock_ns
        self._tell = tell
        self._told = {code: held.message for code, held in known.items() if code in CODES}
        self._walk: Walk | None = None
        self._last_ns: int | None = None
        """When the last slice ended; None before the first look."""
        self._due_ns = self._snapshots_due_ns = 0

    def look(self, now_ns: int, *, idle: bool) -> None:
        """Walk a slice where it is time; cheap to call at every step of the loop. ``idle``: nobody waits.

        The first look walks nothing: it stands before the start is through.
        """
        if self._last_ns is None:
            self._last_ns = now_ns
        if now_ns - self._last_ns < (IDLE_EVERY_NS if idle else BUSY_EVERY_NS):
            return
        try:
            if now_ns >= self._snapshots_due_ns:
                self._look_at_snapshots(now_ns)
            if now_ns >= self._due_ns:
                self._slice(now_ns + (IDLE_NS if idle else BUSY_NS))
        except JournalError as error:
            self._due_ns = self._snapshots_due_ns = now_ns + AGAIN_NS
            self._note(
                "journal_damaged",
                f"the journal is damaged: {error.message}: no round opens. Stop the table, run dealer-table"
                " verify, then put back a copy or replace the unit",
                blocks_opening=True,
            )
        self._last_ns = self._clock_ns()

    def _slice(self, until_ns: int) -> None:
        """Go on for a while; at the end of the record the next walk is due in a day."""
        if self._walk is None:
            self._walk = self._begin()
        while not self._walk.done:
            self._walk.step(ROWS)
            if self._clock_ns() >= until_ns:
                return
        self._walk = None
        self._due_ns = self._clock_ns() + WALK_EVERY_NS
        self._note("journal_damaged", None, blocks_opening=True)

    def _look_at_snapshots(self, now_ns: int) -> None:
        """A snapshot holds nothing that the records do not: a changed one is said, and the next one takes
        its place.
        """
        damaged = self._damaged_snapshots()
        self._snapshots_due_ns = now_ns + (AGAIN_NS if damaged else WALK_EVERY_NS)
        message = None
        if damaged:
            message = f"the snapshot after record {damaged[0]} was changed; a start goes on from another one"
        self._note("snapshot_damaged", message, blocks_opening=False)

    def _note(self, code: str, message: str | None, *, blocks_opening: bool) -> None:
        message = None if message is None else message[:400]
        if message == self._told.get(code):
            return
        if message is None:
            del self._told[code]
            self._tell(ConditionChanged(code, active=False))
        else:
            self._told[code] = message
            log.error("%s", message)
            self._tell(ConditionChanged(code, True, message, blocks_opening))
