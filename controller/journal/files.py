"""The files of a journal: what lies beside it, and how a file or a folder gets to the disk."""

from __future__ import annotations

import os
from pathlib import Path

PARTS = ("", "-wal", "-shm", "-journal")
"""A journal and what SQLite keeps beside it."""


def beside(path: Path, part: str) -> Path:
    """The file of the same name with ``part`` behind it."""
    return path.with_name(path.name + part)


def sync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk. OSError if they do not get there."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
