"""What a power cut leaves of a disk, by qemu's log of its writes (``blklogwrites``, as dm-log-writes has it).

A disk says that it has written when it has the bytes in its memory; only a flush makes sure. So everything up
to the last flush is there, and of what came later each write by chance, some of them in part.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

SECTOR = 512
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4


@dataclass(frozen=True)
class Write:
    """One entry of the log: where it goes (bytes), what, and what kind it is."""

    place: int
    body: bytes
    kind: int


def logged(path: Path) -> Iterator[Write]:
    """The entries of a log of qemu's ``blklogwrites``, as far as they are whole."""
    with path.open("rb") as file:
        magic, _, _, size = struct.unpack("<QQQI", file.read(28).ljust(28, b"\0"))
        if magic != MAGIC:
            return  # nothing was flushed yet
        file.seek(size)
        while len(head := file.read(size)) == size:
            sector, count, kind, _ = struct.unpack("<QQQQ", head[:32])
            if not (sector or count or kind):
                return
            length = 0 if kind & DISCARD else count * size
            body = file.read(length)
            if len(body) < length:
                return
            yield Write(sector * size, body, kind)


def lose(disk: Path, log: Path, chance: Random) -> tuple[int, int]:
    """Write onto the disk what a cut would have left of the log; how many writes were unsure, and how many of
    them it has not, or not whole.
    """
    writes = list(logged(log))
    last = max((number for number, one in enumerate(writes) if one.kind & FLUSH), default=-1)
    unsure = lost = 0
    with disk.open("r+b") as file:
        for number, one in enumerate(writes):
            body = one.body
            if number > last and not one.kind & FUA:
                keep = chance.choice(("whole", "whole", "torn", "lost"))
                whole = len(body) // SECTOR
                kept = {"whole": whole, "torn": chance.randrange(whole + 1) if whole else 0, "lost": 0}[keep]
                unsure += 1
                lost += kept < whole
                body = body[: kept * SECTOR]
            file.seek(one.place)
            file.write(body)
    return unsure, lost
