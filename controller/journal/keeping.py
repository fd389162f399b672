"""Keeping a journal as files: a copy of it, taken while its owner goes on writing, and one that its table
cannot use set aside, whole, under another name, and nothing deleted. Only their owner may read them.

What is set aside gets its second name before it loses the first, so that a power cut in between leaves each
file under one name or both. What stands in a log beside the journal belongs to it and goes along.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from codecs import getincrementaldecoder
from contextlib import closing, suppress
from pathlib import Path

from controller.journal.files import (
    PARTS,
    PRIVATE_FOLDER,
    WriterLock,
    beside,
    create_private,
    make_private,
    owned_as_folder,
    sync,
)
from controller.journal.migrations import NoJournalError, version_of
from controller.journal.opening import check_log
from controller.journal.reader import attach
from controller.journal.verify import Link, Verdict, verify
from controller.vocabulary.errors import JournalError, why

LOOKED_AT = 4096
"""So many bytes at the beginning tell text from a journal, which has zeros there however it is damaged."""


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
        create_private(unfinished)
        with (
            closing(attach(path, "ro")) as source,
            closing(sqlite3.connect(unfinished, isolation_level=None)) as copy,
        ):
            source.backup(copy)
            # One file without a log beside it; the daemon that opens it turns the log on again.
            copy.execute("PRAGMA journal_mode = DELETE")
        sync(unfinished)
        os.rename(unfinished, target)
    except (OSError, sqlite3.Error) as error:
        raise JournalError(f"cannot copy the journal {path} to {target}: {why(error)}") from error
    return verify(target)


def ailments(path: Path, link: Link) -> list[str]:
    """What is wrong with a journal, in words; empty if all of it is whole.

    ``link`` reads a message's own place in the stream. SQLite takes away a log that it has looked through,
    so it is shown a copy of the log beside a second name of the journal, which is only read. Raises
    JournalError if a program still writes the journal, NoJournalError where the file is text, or the database
    of another program.
    """
    if is_text(path) and not any(beside(path, part).exists() for part in (*PARTS[1:], ".lock")):
        raise NoJournalError(f"{path} is no journal of a dealer table: it is text")
    lock, folder = WriterLock(path), ""
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".rescue-") as folder:
            shown = Path(folder) / path.name
            os.link(path, shown)
            for part in PARTS[1:]:
                if beside(path, part).exists():
                    shutil.copy(beside(path, part), beside(shown, part))
            check_log(shown)
            if shown.stat().st_size:
                with suppress(sqlite3.Error), closing(attach(shown, "ro")) as journal:
                    version_of(journal, shown)
            return [f"{found.code}: {found.text}" for found in verify(shown, link=link).findings]
    except OSError as error:
        return [f"it cannot be looked at: {why(error)}"]
    except NoJournalError as error:
        raise NoJournalError(f"{path} is a database, but no journal of a dealer table") from error
    except JournalError as error:
        return [error.message.replace(folder, str(path.parent)) if folder else error.message]
    finally:
        lock.release()


def is_text(path: Path) -> bool:
    """Whether a file begins as one that is written by and for people, as a configuration. An empty one may be
    what is left of a journal."""
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
        text = getincrementaldecoder("utf-8")().decode(head)
    except (OSError, UnicodeDecodeError):
        return False
    return bool(text) and "\0" not in text


def set_aside(path: Path, stamp: str) -> Path:
    """Move the journal to ``aside/<name>.<stamp>[.<number>]/`` beside it; returns its new path.

    ``stamp``: when that was, as text of a file name. A journal that was half set aside is set aside to the
    end. Raises JournalError if a program still writes it, where there is none, or where the disk refuses;
    then everything is still under its first name.
    """
    if not any(beside(path, part).exists() for part in PARTS):
        raise JournalError(f"there is no journal at {path}")
    lock = WriterLock(path)
    try:
        folder = _new_folder(path.parent / "aside", f"{path.name}.{stamp}")
        make_private(path)
        present = [part for part in PARTS if beside(path, part).exists()]
        for part in present:
            os.link(beside(path, part), beside(folder / path.name, part))
        for changed in (folder, folder.parent, path.parent):
            sync(changed)
        for part in present:
            beside(path, part).unlink()
        sync(path.parent)
    except OSError as error:
        raise JournalError(
            f"{path} cannot be set aside: {why(error)}; stop the service and move it by hand, with its"
            f" {path.name}-wal and {path.name}-shm"
        ) from error
    finally:
        lock.release()
    return folder / path.name


def _new_folder(parent: Path, name: str) -> Path:
    """A folder that was not there, owned by whoever owns the journals."""
    parent.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    number = 1
    while True:
        folder = parent / (name if number == 1 else f"{name}.{number}")
        try:
            folder.mkdir(mode=PRIVATE_FOLDER)
        except FileExistsError:
            number += 1
            continue
        owned_as_folder(parent, folder)
        return folder
