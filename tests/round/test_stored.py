"""Snapshots that earlier versions wrote are read again, with nothing lost."""

from __future__ import annotations

import gzip
from pathlib import Path

import msgspec
import pytest

from controller.games.registry import all_games
from controller.shell.restart import LastReport, decode_snapshot, encode_snapshot, snapshot_text
from controller.vocabulary.outcomes import Outcome

WRITTEN = Path(__file__).with_name("snapshots-of-0.1.jsonl.gz")
"""Made from the scenarios when messages and evidence were still plain objects: each member that a state may
have, and each finding with its evidence, is in at least one of them."""


def lost(old: object, new: object) -> bool:
    """Whether anything that stood in the old value is not in the new one; settings may have been added."""
    if isinstance(old, dict) and isinstance(new, dict):
        return any(name not in new or lost(value, new[name]) for name, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) != len(new) or any(map(lost, old, new))
    return old != new


def assert_nothing_lost(line: bytes) -> None:
    snapshot = decode_snapshot(line)
    again = snapshot_text(snapshot.state, snapshot.reports)
    assert not lost(msgspec.json.decode(line), msgspec.json.decode(again))
    assert decode_snapshot(encode_snapshot(snapshot.state, snapshot.reports)) == snapshot


def test_snapshots_of_an_earlier_version_are_read_and_written_alike() -> None:
    lines = gzip.decompress(WRITTEN.read_bytes()).splitlines()
    assert len(lines) == 62
    for line in lines:
        assert_nothing_lost(line)


def test_a_snapshot_knows_the_last_report_of_each_device() -> None:
    """What is repeated after a restart is no new card."""
    state = decode_snapshot(gzip.decompress(WRITTEN.read_bytes()).splitlines()[0]).state
    reports = {"shoe": LastReport(7, "0213"), "shuffler": LastReport(2, "00")}
    assert decode_snapshot(encode_snapshot(state, reports)).reports == reports


class Loose(msgspec.Struct, Outcome, frozen=True):
    """The outcome of a game that does not refuse what it does not know."""


@pytest.mark.parametrize("played", all_games())
def test_no_other_game_takes_an_outcome_for_its_own_and_drops_half(
    played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, game in all_games().items():
        if name != played:
            monkeypatch.setattr(game, "outcome_type", Loose)
    lines = [line for line in gzip.decompress(WRITTEN.read_bytes()).splitlines() if b"outcome" in line]
    own = [line for line in lines if b'"name":"%s"' % played.encode() in line]
    assert own
    for line in own:
        assert_nothing_lost(line)
