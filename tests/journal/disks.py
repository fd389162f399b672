"""Journals and disks for tests: filled ones, changed ones, small ones, ones that refuse."""

from __future__ import annotations

import resource
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from controller.journal.sqlite import SqliteJournal

EPOCH = 1_700_000_000_000


def filled(path: Path, records: int, consumer: int | None = None) -> None:
    """A closed journal; record n says ``record n``, and so does its message."""
    with SqliteJournal.create(path, epoch=EPOCH) as journal:
        if consumer is not None:
            journal.add_consumer("settlement")
        for number in range(1, records + 1):
            journal.commit([b"record %06d" % number], [b"message %06d" % number])
        if consumer is not None:
            journal.set_cursor("settlement", consumer)


def change(path: Path, *statements: str | tuple[str, tuple[object, ...]]) -> None:
    """Do to a journal what nobody may, all or nothing; a pair is a statement and its arguments."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            words, arguments = (statement, ()) if isinstance(statement, str) else statement
            connection.execute(words, arguments)


@contextmanager
def small_disk(directory: Path, size: str) -> Iterator[bool]:
    """A file system of this size, where the machine lets us mount one; says whether it did."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(directory)], capture_output=True
    )
    try:
        yield mounted.returncode == 0
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", str(directory)], check=True)


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file of this process grows beyond ``size`` bytes: the kernel refuses the write (EFBIG)."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
