"""What the journal wants done in idle moments: moving what was written to its place, and forgetting old
messages.
"""

from __future__ import annotations

import logging

from controller.journal.sqlite import SqliteJournal
from controller.vocabulary.errors import JournalError

log = logging.getLogger(__name__)

CHECKPOINT_EVERY_NS = 60 * 1_000_000_000
CHECKPOINT_EVERY_RECORDS = 128
"""Earlier after so many: then the log begins again at its start, and stays short. Each commit that lengthens
a file makes the disk sync the file's length as well, which costs a third more. A shorter log would put the
same pages into the file more often."""
PRUNE_EVERY_NS = 3600 * 1_000_000_000
DAY_MS = 24 * 3600 * 1000


class Housekeeper:
    """Does nothing while cards are dealt: a checkpoint may wait for the disk."""

    def __init__(self, journal: SqliteJournal, retention_days: int) -> None:
        self._journal = journal
        self._retention_ms = retention_days * DAY_MS
        self._next_checkpoint_ns = self._next_prune_ns = 0
        self._moved_up_to = journal.record_head

    def look(self, now_ns: int, wall_ms: int, *, idle: bool) -> None:
        """Do what is due, where the table is idle. Messages of less than the retention are never touched."""
        if not idle:
            return
        try:
            if now_ns >= self._next_prune_ns:
                self._next_prune_ns = now_ns + PRUNE_EVERY_NS
                self._journal.prune(wall_ms - self._retention_ms)
            head = self._journal.record_head
            written = head - self._moved_up_to >= CHECKPOINT_EVERY_RECORDS
            if written or now_ns >= self._next_checkpoint_ns:
                self._next_checkpoint_ns, self._moved_up_to = now_ns + CHECKPOINT_EVERY_NS, head
                self._journal.checkpoint()
        except JournalError as error:
            log.warning("the journal could not be tidied, it goes on growing: %s", error.message)
