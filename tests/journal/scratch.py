"""A journal for tests that do not ask about the disk: a real one, in memory where the machine allows it."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from controller.journal.files import WriterLock
from controller.journal.sqlite import SqliteJournal

JournalT = TypeVar("JournalT", bound=SqliteJournal)
IN_MEMORY = "/dev/shm"


def scratch_journal(
    kind: type[JournalT] = SqliteJournal,  # type: ignore[assignment]
    *,
    epoch: int = 5,
    clock_ms: Callable[[], int] = lambda: 0,
) -> JournalT:
    """A new journal that goes when nobody holds it any more."""
    folder = tempfile.mkdtemp(prefix="journal-", dir=IN_MEMORY if os.access(IN_MEMORY, os.W_OK) else None)
    journal = kind.create(Path(folder) / "journal.db", epoch=epoch, clock_ms=clock_ms)
    weakref.finalize(journal, _clear, folder, journal._lock)
    return journal


def _clear(folder: str, lock: WriterLock) -> None:
    lock.release()
    shutil.rmtree(folder, ignore_errors=True)
