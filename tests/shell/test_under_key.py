"""The supervisor's key and the table's own board: named while it is turned, and told to nobody else."""

from __future__ import annotations

import pytest

from controller.shell.announcer import retained_payloads
from controller.vocabulary.display import UnderKey
from tests.harness.bench import Bench, FullDisk, configured
from tests.journal.scratch import scratch_journal

NAMED = UnderKey(cards={"5": "9H"})


def in_hold(disk: FullDisk | None = None, **changes: dict[str, object]) -> Bench:
    """A card too many lies on the table."""
    bench = Bench(disk, configuration=configured(**changes))
    bench.load()
    bench.open()
    bench.deal("8S", "5C", "KC", "2D", "9H")
    assert bench.hold == "extra_card"
    return bench


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ([], None),
        (["KEY S1"], NAMED),
        (["KEY S1", "NOKEY"], None),
        (["KEY S1", "KEY nobody"], None),
        (["KEY nobody"], None),
        (["KEY S1", "CLEAR burn"], None),
    ],
)
def test_a_card_is_named_while_a_listed_key_is_turned(keys: list[str], named: UnderKey | None) -> None:
    bench = in_hold(badges={"supervisors": ["S1"]})
    for key in keys:
        bench.key(key)
    assert bench.loop.under_key == named


def test_a_lost_panel_and_a_restart_close_it() -> None:
    bench = in_hold()
    bench.key("KEY S1")
    assert bench.loop.under_key == NAMED
    assert bench.again().loop.under_key is None
    bench.lose("panel")
    assert bench.loop.under_key is None


def test_a_key_that_was_taken_out_while_the_disk_took_nothing_is_out() -> None:
    disk = scratch_journal(FullDisk)
    bench = in_hold(disk)
    bench.key("KEY S1")
    disk.full = True
    bench.key("HOLD")
    bench.key("NOKEY")
    assert bench.loop.under_key is None


def test_nothing_that_is_published_or_recorded_differs_by_the_key() -> None:
    bench = in_hold()
    before, head, record = retained_payloads(bench.state), bench.head(), bench.journal.record_head
    bench.key("KEY S1")
    assert bench.loop.under_key == NAMED
    assert retained_payloads(bench.state) == before
    assert bench.head() == head, "no message of the stream"
    new = [one.body for one in bench.journal.records(record)]
    assert new
    assert not any(b"9H" in body for body in new)
