"""A crash before and after each write, sync, send and answer: some of each; ``make crashes`` tries all."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.crashes import Trial, scratch
from tests.faults.really import die_once
from tests.faults.recording import Recording, content, record
from tests.faults.shim import KINDS
from tests.harness.deals import DEALS, Deal

SOME = 1
SEED = 7


@pytest.mark.parametrize("deal", DEALS, ids=lambda deal: deal.game)
def test_a_crash_leaves_a_journal_that_goes_on_and_a_stream_without_loss(tmp_path: Path, deal: Deal) -> None:
    recording = record(tmp_path, deal, SEED)
    with scratch() as quick:
        tally = Trial(recording, quick, SEED).try_all(SOME)
        print(tally)
        assert tally.broken == []
        assert tally.points == {(kind, when): SOME for kind in KINDS for when in ("before", "after")}
        assert tally.completed > 0
        assert tally.left["killed"] == 2 * len(KINDS) * SOME
        assert tally.left["no power"] > 0
        assert "was sent, the journal ends at" in "".join(found_out(recording, quick))


def found_out(recording: Recording, folder: Path) -> list[str]:
    """What the trial says of a program that sends before it commits."""
    log = recording.log
    sends = [place for place in recording.points() if log[place]["kind"] == "send"]
    last = max(place for place in sends if b"/events" in content(log[place]))
    log.insert(0, log.pop(last))
    return Trial(recording, folder, SEED).try_all(SOME).broken


@pytest.mark.parametrize(
    ("deal", "kind", "when", "number"),
    [
        (DEALS[0], "send", "before", 9),
        (DEALS[1], "answer", "before", 3),
        (DEALS[2], "sync", "after", 6),
        (DEALS[3], "write", "before", 44),
    ],
    ids=lambda value: value.game if isinstance(value, Deal) else str(value),
)
def test_a_daemon_that_really_dies_there_goes_on(
    tmp_path: Path, deal: Deal, kind: str, when: str, number: int
) -> None:
    figures = die_once(tmp_path, deal, SEED, kind, when, number)
    assert figures.clean, figures
    assert figures.results >= 2
