"""How much is written to the disk of the journal, and how long a memory card would live with that."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

CYCLES = 1000
"""So often a cell of a usual card can be written; its maker's promise is what counts."""
AMPLIFIED = 4
"""A card erases more than it is given: so many times as much, for small writes."""
SECTOR_BYTES = 512
YEAR_S = 365 * 24 * 3600
_WRITTEN = 6
"""Sectors written, of the figures of /sys/block/<disk>/stat."""


class Disk(NamedTuple):
    """A whole disk or card."""

    name: str
    size_bytes: int
    written_bytes: int
    """By all programs, since the system knows it."""


def written_bytes(io: Path = Path("/proc/self/io")) -> int | None:
    """What this process has caused to be written to a disk, in whole pages of memory; None: nobody tells."""
    try:
        lines = dict(line.split(": ") for line in io.read_text(encoding="ascii").splitlines())
        return int(lines["write_bytes"])
    except (OSError, KeyError, ValueError):
        return None


def disk_of(folder: Path, blocks: Path = Path("/sys/dev/block")) -> Disk | None:
    """The disk that holds a folder; None where that is no one disk of the machine's, or nobody tells."""
    try:
        number = os.stat(folder).st_dev
        place = (blocks / f"{os.major(number)}:{os.minor(number)}").resolve(strict=True)
        if (place / "partition").exists():
            place = place.parent
        size = int((place / "size").read_text()) * SECTOR_BYTES
        written = int((place / "stat").read_text().split()[_WRITTEN]) * SECTOR_BYTES
    except (OSError, ValueError, IndexError):
        return None
    return Disk(place.name, size, written)


def life_years(size_bytes: int, written: int, within_s: float) -> float | None:
    """How long a new memory card of this size lives at this pace; None where nothing was written yet."""
    if written <= 0 or within_s <= 0:
        return None
    return size_bytes * CYCLES / AMPLIFIED / (written / within_s) / YEAR_S
