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

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_PAGE_SIZE = struct.Struct(">H")
_PAGE_SIZE_AT = 16

Behind = Literal["nothing", "unfinished", "transactions"]


class _Frame(NamedTuple):
    page: int
    content: bytes
    """What the page holds from this frame on; shorter at the log's end where the power cut it."""
    of_this_round: bool
    """Older rounds of the log carry other salts; what they hold has been moved into the file."""
    fits: bool
    """Its checksum goes on from the frame before."""
    ends: bool
    """It is the last one of a transaction."""


def behind_the_end(path: Path) -> Behind:
    """What the log of the database at ``path`` holds behind what SQLite will read of it.

    A run of frames that fit each other is written by one transaction after the other. A commit that failed,
    or that the power cut short, leaves the end of one transaction in a run; two or more in a run that
    SQLite does not reach are ``transactions`` that had been durable.
    """
    try:
        log = path.with_name(path.name + "-wal").read_bytes()
        with path.open("rb") as file:
            (said,) = _PAGE_SIZE.unpack(file.read(_PAGE_SIZE_AT + 2)[_PAGE_SIZE_AT:])
    except (OSError, struct.error):
        return "nothing"
    page_size = 65536 if said == 1 else said
    reached, ends, left = True, 0, False
    for frame in _frames(log, page_size):
        if not frame.fits:
            reached, ends = False, 0
        if frame.of_this_round:
            ends += frame.ends
            left = not (reached and frame.ends)
        if not reached and ends > 1:
            return "unfinished" if _in_the_file(path, log, page_size) else "transactions"
    return "unfinished" if left else "nothing"


def _in_the_file(path: Path, log: bytes, page_size: int) -> bool:
    """Whether a log whose header is no header holds nothing but what the file holds: a log begins anew only
    when all of it has been moved there.
    """
    if len(log) < _HEADER.size or _header_fits(log):
        return False
    newest, unfinished, previous = dict[int, bytes](), dict[int, bytes](), False
    for frame in _frames(log, page_size):
        if not frame.of_this_round or (previous and not frame.fits):
            break
        unfinished[frame.page] = frame.content
        if frame.ends:
            newest |= unfinished
            unfinished.clear()
        previous = True
    with path.open("rb") as file:
        for page, content in newest.items():
            file.seek((page - 1) * page_size)
            if file.read(page_size) != content:
                return False
    return bool(newest)


def _frames(log: bytes, page_size: int) -> Iterator[_Frame]:
    if len(log) < _HEADER.size or page_size < 512:
        return
    magic, *_, salt_1, salt_2, _said_1, _said_2 = _HEADER.unpack_from(log)
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[: _HEADER.size - 8], 0, 0, order)
    whole = _header_fits(log)
    if not whole and len(log) >= _HEADER.size + _FRAME.size:
        # Without the header's word for it, the first frame says which round this is.
        salt_1, salt_2 = _FRAME.unpack_from(log, _HEADER.size)[2:4]
    for place in range(_HEADER.size, len(log) - _FRAME.size, _FRAME.size + page_size):
        page, pages_after, *salts, said_1, said_2 = _FRAME.unpack_from(log, place)
        of_this_round = salts == [salt_1, salt_2]
        content = log[place + _FRAME.size : place + _FRAME.size + page_size]
        fits = whole and of_this_round and len(content) == page_size
        fits = fits and _checksum(log[place : place + 8] + content, *sums, order) == (said_1, said_2)
        yield _Frame(page, content, of_this_round, fits, pages_after != 0)
        sums, whole = (said_1, said_2), True


def _header_fits(log: bytes) -> bool:
    magic, *_, said_1, said_2 = _HEADER.unpack_from(log)
    return _checksum(log[: _HEADER.size - 8], 0, 0, ">" if magic & 1 else "<") == (said_1, said_2)


def _checksum(content: bytes, sum_1: int, sum_2: int, order: str) -> tuple[int, int]:
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        sum_1 = (sum_1 + even + sum_2) & 0xFFFFFFFF
        sum_2 = (sum_2 + odd + sum_1) & 0xFFFFFFFF
    return sum_1, sum_2
