"""Snapshots that earlier versions wrote are read again, with nothing lost."""

from __future__ import annotations

import gzip
from pathlib import Path

from controller.shell.restart import decode_snapshot, encode_snapshot

WRITTEN = Path(__file__).with_name("snapshots-of-0.1.jsonl.gz")
"""Made from the scenarios when messages and evidence were still plain objects: each member that a state may
have, and each finding with its evidence, is in at least one of them."""


def test_snapshots_of_an_earlier_version_are_read_and_written_alike() -> None:
    lines = gzip.decompress(WRITTEN.read_bytes()).splitlines()
    assert len(lines) == 62
    for line in lines:
        snapshot = decode_snapshot(line)
        assert encode_snapshot(snapshot.state, snapshot.reports) == line
