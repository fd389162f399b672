"""What lies in SQLite's write-ahead log behind its last whole transaction (sqlite.org/walformat.html).

SQLite stops reading at the first frame whose checksum does not fit and never looks further. That is right for
a write that was under way when the power went. It is wrong for us where a whole transaction stands behind the
bad frame: each waits for the disk before the next one begins, so the bad one had been durable, somebody may
have acted on it, and a table must not go on as if it had not happened. So this looks before SQLite does; once
SQLite has closed the file, the log is gone.
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
_Pair = tuple[int, int]


class _Log(NamedTuple):
    content: bytes
    page_size: int
    most_pages: int
    """The file has no more, with those of the log."""


class _Frame(NamedTuple):
    page: int
    content: bytes
    """What the page holds from this frame on; shorter at the log's end where the power cut it."""
    salts: _Pair
    """Of the round of the log that it belongs to."""
    follows: bool
    """Its checksum goes on from the frame before, the first one's from the head."""
    ends: bool
    """It is the last one of a transaction."""


def behind_the_end(path: Path) -> Behind:
    """What the log of the database at ``path`` holds behind what SQLite will read of it.

    A transaction is whole where the frame before it ends one and each of its own follows the one before: that
    is ``transactions``. A commit that failed, or that the power cut short, leaves the end of one at most,
    ``unfinished``. Of a log whose head is no head SQLite reads nothing.
    """
    try:
        content, size = beside(path, "-wal").read_bytes(), path.stat().st_size
        with path.open("rb") as file:
            (said,) = _PAGE_SIZE.unpack(file.read(_PAGE_SIZE_AT + 2)[_PAGE_SIZE_AT:])
    except (OSError, struct.error):
        return "nothing"
    page_size = 65536 if said == 1 else said
    if len(content) < _HEADER.size or page_size < 512:
        return "nothing"
    log = _Log(content, page_size, (size + len(content)) // page_size)
    head = _head(content)
    if head is None:
        return "unfinished" if _in_the_file(path, log) else "transactions"
    order, salts, sums = head
    reached, whole, left, ended = True, False, False, True
    for frame in _frames(log, order, (sums,)):
        ours = frame.salts == salts  # what older rounds hold has been moved into the file
        reached = reached and frame.follows and ours
        whole = not reached and frame.follows and ours and (whole or ended)
        if whole and frame.ends:
            return "transactions"
        ended = frame.ends
        if ours:
            left = not (reached and frame.ends)
    return "unfinished" if left else "nothing"


def _in_the_file(path: Path, log: _Log) -> bool:
    """Whether the newest round of a log without a head holds nothing but what the file holds: its head is
    written anew, and is on the disk before anything else is, only when all of the round before has been
    moved there.
    """
    for order in "<>":
        run: list[_Frame] = []
        known = False
        for frame in _frames(log, order, _sums_of_the_head(log.content, order)):
            if not run or (frame.follows and frame.salts == run[-1].salts):
                known = known or frame.follows
                run.append(frame)
            elif known:
                break
            else:
                run = [frame]
        if known:
            return _is_in_the_file(path, run, log.page_size)
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


def _head(log: bytes) -> tuple[str, _Pair, _Pair] | None:
    """Order of the words of checksums, salts, and checksum of the log's head; None if it is no head."""
    magic, _, _, _, salt_1, salt_2, *said = _HEADER.unpack_from(log)
    if magic & ~1 != _MAGIC:
        return None
    order = ">" if magic & 1 else "<"
    sums = _checksum(log[: _HEADER.size - 8], (0, 0), order)
    return (order, (salt_1, salt_2), sums) if list(sums) == said else None


def _sums_of_the_head(log: bytes, order: str) -> tuple[_Pair, _Pair]:
    """The checksum that a damaged head may have had: what it says, and what the rest of it gives."""
    *_, said_1, said_2 = _HEADER.unpack_from(log)
    return (said_1, said_2), _checksum(log[: _HEADER.size - 8], (0, 0), order)


def _frames(log: _Log, order: str, sums: tuple[_Pair, ...]) -> Iterator[_Frame]:
    """The frames in their places. ``sums``: what the checksum of the head may be.

    What is damaged may be the checksum of a frame itself, or the bytes at its beginning that say whether a
    transaction ends there: each is worked out from the rest of the frame then.
    """
    whole_size = _FRAME.size + log.page_size
    for place in range(_HEADER.size, len(log.content) - _FRAME.size, whole_size):
        page, pages_after, salt_1, salt_2, *last = _FRAME.unpack_from(log.content, place)
        content = log.content[place + _FRAME.size : place + whole_size]
        said = (last[0], last[1])
        if len(content) < log.page_size:
            yield _Frame(page, content, (salt_1, salt_2), follows=False, ends=False)
            return
        covered = log.content[place : place + 8] + content
        worked_out = [_checksum(covered, before, order) for before in sums]
        follows = page != 0 and said in worked_out  # zeros follow zeros
        if not follows:
            true_page, true_after = _beginning_that_fits(content, sums[0], said, order)
            if 0 < true_page <= log.most_pages and true_after <= log.most_pages:
                pages_after = true_after
        yield _Frame(page, content, (salt_1, salt_2), follows, ends=pages_after != 0)
        sums = (said,) if follows else (said, worked_out[0])


def _checksum(content: bytes, sums: _Pair, order: str) -> _Pair:
    sum_1, sum_2 = sums
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        sum_1 = (sum_1 + even + sum_2) & 0xFFFFFFFF
        sum_2 = (sum_2 + odd + sum_1) & 0xFFFFFFFF
    return sum_1, sum_2


def _beginning_that_fits(content: bytes, before: _Pair, after: _Pair, order: str) -> _Pair:
    """The two numbers of a frame's beginning that lead from one checksum to the other: its page, and how many
    pages the file has after it. Any two numbers where something else does not fit.
    """
    sum_1, sum_2 = after
    words = struct.unpack(f"{order}{len(content) // 4}I", content)
    for even, odd in zip(words[-2::-2], words[::-2], strict=True):
        sum_2 = (sum_2 - odd - sum_1) & 0xFFFFFFFF
        sum_1 = (sum_1 - even - sum_2) & 0xFFFFFFFF
    first = (sum_1 - before[0] - before[1]) & 0xFFFFFFFF
    second = (sum_2 - before[1] - sum_1) & 0xFFFFFFFF
    page, pages_after = struct.unpack(">2I", struct.pack(f"{order}2I", first, second))
    return page, pages_after
