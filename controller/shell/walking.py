"""The whole record is walked after every start and once a day, in slices of a few milliseconds, while the
table is at work.

What is damaged is a condition: the running round ends, no further one opens. It is over when a later walk
has come through, in this life or the next.
"""

from __future__ import annotations

from collections.abc import Callable

from controller.journal.sqlite import SqliteJournal
from controller.journal.walk import Walk
from controller.shell.conditions import Found, Moment
from controller.vocabulary.conditions import JOURNAL_DAMAGED, SNAPSHOT_DAMAGED, Condition
from controller.vocabulary.errors import JournalError

WALK_EVERY_NS = 24 * 3600 * 1_000_000_000
AGAIN_NS = 60 * 1_000_000_000
"""What was found is looked at again so often: a disk may fail to read once and not again."""
ROWS = 32
"""Records of one step, with their messages: a third of a millisecond."""
IDLE_NS, IDLE_EVERY_NS = 4_000_000, 50_000_000
"""Between two rounds: so long is a slice, and so far apart are two."""
BUSY_NS, BUSY_EVERY_NS = 1_000_000, 1_000_000_000
"""In a round: so that the walk ends also at a table that is never idle for long."""


class JournalWatch:
    """Walks where the table has time."""

    def __init__(self, journal: SqliteJournal, walk: Callable[[], Walk], clock_ns: Callable[[], int]) -> None:
        """``walk`` begins a new walk over the journal. ``clock_ns``: monotonic."""
        self._journal = journal
        self._begin = walk
        self._clock_ns = clock_ns
        self._found: dict[str, Condition | None] = {}
        self._walk: Walk | None = None
        self._last_ns: int | None = None
        """When the last slice ended; None before the first look."""
        self._due_ns = self._snapshots_due_ns = 0

    def look(self, now: Moment) -> Found:
        """``journal_damaged`` and ``snapshot_damaged``, as far as was walked; a slice more where it is time.

        The first look walks nothing: it comes before the start is through.
        """
        if self._last_ns is None:
            self._last_ns = now.monotonic_ns
        if now.monotonic_ns - self._last_ns >= (IDLE_EVERY_NS if now.idle else BUSY_EVERY_NS):
            self._go_on(now.monotonic_ns, IDLE_NS if now.idle else BUSY_NS)
            self._last_ns = self._clock_ns()
        return self._found

    def _go_on(self, now_ns: int, slice_ns: int) -> None:
        try:
            if now_ns >= self._snapshots_due_ns:
                self._look_at_snapshots(now_ns)
            if now_ns >= self._due_ns:
                self._slice(now_ns + slice_ns)
        except JournalError as error:
            self._due_ns = self._snapshots_due_ns = now_ns + AGAIN_NS
            self._found[JOURNAL_DAMAGED.code] = JOURNAL_DAMAGED.holds(
                f"the journal is damaged: {error.message}: no round opens. Stop the table, run dealer-table"
                " verify, then put back a copy or replace the unit"
            )

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
        self._found[JOURNAL_DAMAGED.code] = None

    def _look_at_snapshots(self, now_ns: int) -> None:
        """A snapshot holds nothing that the records do not: a changed one is said, and the next one takes
        its place.
        """
        damaged = list(self._journal.damaged_snapshots())
        self._snapshots_due_ns = now_ns + (AGAIN_NS if damaged else WALK_EVERY_NS)
        message = "the snapshot after record {} was changed; a start goes on from another one"
        self._found[SNAPSHOT_DAMAGED.code] = (
            SNAPSHOT_DAMAGED.holds(message.format(damaged[0])) if damaged else None
        )
