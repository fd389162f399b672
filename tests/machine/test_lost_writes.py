"""What a cut leaves of a disk: all that a flush confirmed, and of the rest what chance leaves."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

from tests.machine.lost_writes import DISCARD, FLUSH, FUA, MAGIC, SECTOR, logged, lose


def log_of(path: Path, *entries: tuple[int, bytes, int]) -> Path:
    """A log as qemu writes it: sector, body and kind of each write."""
    sectors = [struct.pack("<QQQI", MAGIC, 1, len(entries), SECTOR)]
    for sector, body, kind in entries:
        count = 8 if kind & DISCARD else len(body) // SECTOR
        sectors += [struct.pack("<QQQQ", sector, count, kind, 0), body]
    path.write_bytes(b"".join(one.ljust(-(-len(one) // SECTOR) * SECTOR, b"\0") for one in sectors))
    return path


def of(letter: bytes, sectors: int = 8) -> bytes:
    return letter * SECTOR * sectors


def test_what_was_flushed_is_there_whatever_chance_says(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (0, of(b"a"), 0), (8, of(b"b"), 0), (0, b"", FLUSH), (8, of(b"c"), FUA))
    for seed in range(20):
        disk = tmp_path / "disk"
        disk.write_bytes(of(b".", 32))
        assert lose(disk, log, Random(seed)) == (0, 0)
        assert disk.read_bytes() == of(b"a") + of(b"c") + of(b".", 16)


def test_what_no_flush_confirmed_is_whole_torn_or_gone(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (0, of(b"a"), 0), (0, b"", FLUSH), (0, of(b"b"), 0))
    left = set()
    for seed in range(400):
        disk = tmp_path / "disk"
        disk.write_bytes(of(b"."))
        unsure, lost = lose(disk, log, Random(seed))
        body = disk.read_bytes()
        kept = body.count(b"b") // SECTOR
        assert body == of(b"b", kept) + of(b"a", 8 - kept)
        assert (unsure, lost) == (1, int(kept < 8))
        left.add(kept)
    assert left == set(range(9))


def test_a_log_that_the_cut_tore_is_read_as_far_as_it_is_whole(tmp_path: Path) -> None:
    log = log_of(tmp_path / "log", (0, of(b"a"), 0), (16, b"", DISCARD), (8, of(b"b"), 0))
    log.write_bytes(log.read_bytes()[:-SECTOR])
    assert [(one.place, one.body[:1]) for one in logged(log)] == [(0, b"a"), (16 * SECTOR, b"")]
    log.write_bytes(b"")
    assert list(logged(log)) == []
