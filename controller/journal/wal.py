"""What lies in SQLite's write-ahead log behind its last whole transaction (sqlite.org/walformat.html).

SQLite stops reading at the first frame whose checksum does not fit and never looks further. That is right for
a write that was under way when the power went. It is wrong for us where whole transactions stand behind the
bad frame: those had been durable, somebody may have acted on them, and a table must not go on as if they had
not happened. So this looks before SQLite does; once SQLite has closed the file, the log is gone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from controller.journal.files import beside

_HEADER = struct.Struct(">8I")
_MAGIC = 0x377F0682
"""And one more where the checksums are of big-endian words."""
_FRAME = struct.Struct(">6I")
_PAGE_SIZE = struct.Struct(">H")
_PAGE_SIZE_AT = 16

Behind = Literal["nothing", "unfinished", "transactions"]


class _Frame(NamedTuple):
    page: int
    content: bytes
    """What the page holds from this frame on; shorter at the log's end where the power cut it."""
    salts: tuple[int, int]
    """Of the round of the log that it belongs to."""
    fits: bool
    """Its checksum goes on from the frame before, the first one's from the head, in the same round."""
    ends: bool
    """It is the last one of a transaction."""


def behind_the_end(path: Path) -> Behind:
    """What the log of the database at ``path`` holds behind what SQLite will read of it.

    A run of frames that fit each other is written by one transaction after the other. A commit that failed,
    or that the power cut short, leaves the end of one transaction in a run; two or more in a run that
    SQLite does not reach are ``transactions`` that had been durable. Of a log whose head is no head SQLite
    reads nothing.
    """
    try:
        log = beside(path, "-wal").read_bytes()
        with path.open("rb") as file:
            (said,) = _PAGE_SIZE.unpack(file.read(_PAGE_SIZE_AT + 2)[_PAGE_SIZE_AT:])
    except (OSError, struct.error):
        return "nothing"
    page_size = 65536 if said == 1 else said
    if len(log) < _HEADER.size or page_size < 512:
        return "nothing"
    head = _head(log)
    if head is None:
        return "unfinished" if _in_the_file(path, log, page_size) else "transactions"
    order, salts, sums = head
    reached, ends, left = True, 0, False
    for frame in _frames(log, page_size, order, salts, sums):
        if not frame.fits:
            reached, ends = False, 0
        if frame.salts == salts:  # what older rounds hold has been moved into the file
            ends += frame.ends
            left = not (reached and frame.ends)
        if not reached and ends > 1:
            return "transactions"
    return "unfinished" if left else "nothing"


def _in_the_file(path: Path, log: bytes, page_size: int) -> bool:
    """Whether the newest round of a log without a head holds nothing but what the file holds: its head is
    written anew, and is on the disk before anything else is, only when all of the round before has been
    moved there.
    """
    for order in "<>":
        run: list[_Frame] = []
        for frame in _frames(log, page_size, order):
            if frame.fits:
                run.append(frame)
            elif len(run) > 1:
                break
            else:
                run = [frame]
        if len(run) > 1:
            return _is_in_the_file(path, run, page_size)
    return True


def _is_in_the_file(path: Path, run: list[_Frame], page_size: int) -> bool:
    newest, unfinished = dict[int, bytes](), dict[int, bytes]()
    for frame in run:
        unfinished[frame.page] = frame.content
        if frame.ends:
            newest |= unfinished
            unfinished.clear()
    try:
        with path.open("rb") as file:
            for page, content in newest.items():
                file.seek((page - 1) * page_size)
                if file.read(page_size) != content:
                    return False
    except OSError:  # what cannot be read, or is no page, is not there
        return False
    return True


def _head(log: bytes) -> tuple[str, tuple[int, int], tuple[int, int]] | None:
    """Order of the words of checksums, salts, and checksum of the log's head; None if it is no head."""
    magic, _, _, _, salt_1, salt_2, *said = _HEADER.unpack_from(log)
    if magic & ~1 != _MAGIC:
        return None
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[: _HEADER.size - 8], 0, 0, order)
    return (order, (salt_1, salt_2), sums) if list(sums) == said else None


def _frames(
    log: bytes,
    page_size: int,
    order: str,
    salts: tuple[int, int] | None = None,
    sums: tuple[int, int] = (0, 0),
) -> Iterator[_Frame]:
    """``salts`` and ``sums`` of the head; without them nobody knows whether the first frame fits."""
    for place in range(_HEADER.size, len(log) - _FRAME.size, _FRAME.size + page_size):
        page, pages_after, salt_1, salt_2, *said = _FRAME.unpack_from(log, place)
        content = log[place + _FRAME.size : place + _FRAME.size + page_size]
        fits = salts == (salt_1, salt_2) and len(content) == page_size
        fits = fits and _checksum(log[place : place + 8] + content, *sums, order) == (said[0], said[1])
        salts, sums = (salt_1, salt_2), (said[0], said[1])
        yield _Frame(page, content, salts, fits, pages_after != 0)


def _checksum(content: bytes, sum_1: int, sum_2: int, order: str) -> tuple[int, int]:
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        sum_1 = (sum_1 + even + sum_2) & 0xFFFFFFFF
        sum_2 = (sum_2 + odd + sum_1) & 0xFFFFFFFF
    return sum_1, sum_2
