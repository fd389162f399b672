"""A copy of a journal, taken while its owner goes on writing."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from controller.journal.files import sync
from controller.journal.reader import attach
from controller.journal.verify import Verdict, verify
from controller.vocabulary.errors import JournalError


def back_up(path: Path, target: Path) -> Verdict:
    """Copy the journal as it stands now to ``target``, which must not exist yet, and verify the copy.

    The copy appears whole or not at all, in one file. Raises JournalError if it cannot be made; what was
    wrong in the journal is wrong in the copy and stands in the verdict.
    """
    if target.exists():
        raise JournalError(f"{target} is there already; name a new file for the copy")
    unfinished = target.with_name(target.name + ".new")
    try:
        unfinished.unlink(missing_ok=True)
        _copy(path, unfinished)
        sync(unfinished)
        os.rename(unfinished, target)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"cannot copy the journal {path} to {target}: {error}") from error
    return verify(target)


def _copy(path: Path, unfinished: Path) -> None:
    source = attach(path, "ro")
    try:
        copy = sqlite3.connect(unfinished, isolation_level=None)
        try:
            source.backup(copy)
            # One file without a log beside it; the daemon that opens it turns the log on again.
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            copy.close()
    finally:
        source.close()
