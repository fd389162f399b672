"""What the settlement system must have, held against the cards that were dealt."""

from __future__ import annotations

from controller.vocabulary.events import ReportsMissed
from tests.harness.dealer import Dealer
from tests.harness.house import WholeTable
from tests.harness.settlement import Settlement


def check_results(settlement: Settlement, dealer: Dealer) -> None:
    """Every result once, in order, and as the physical cards make it; the stream from 1 without a gap."""
    dealt = [felt.played for felt in dealer.rounds if felt.played is not None]
    assert settlement.wrong == []
    assert [heard["sequence"] for heard in settlement.messages] == list(range(1, len(settlement.taken) + 1))
    results = settlement.of("round.result")
    assert len(results) == len(dealt)
    assert len({result["round"] for result in results}) == len(dealt)
    for result, played in zip(results, dealt, strict=True):
        assert result["hands"] == {"player": [*played.player], "banker": [*played.banker]}
        assert result["outcome"] == played.outcome
        assert (result["revision"], result["replaces"]) == (1, None)
    cards = [message["card"] for message in settlement.of("round.card")]
    assert len(cards) == sum(len(played.player) + len(played.banker) for played in dealt)
    assert settlement.of("round.void") == []


def check_frames(table: WholeTable) -> None:
    """The record holds each frame that the shoe made once, in the order in which it made them."""
    frames = [
        bytes.fromhex(stamp.raw or "")
        for _, event, stamp in table.records()
        if stamp.report is not None and not isinstance(event, ReportsMissed)
    ]
    made = table.angel_eye.sent
    assert frames == made[: len(frames)]
    # What the shoe says of its lock may still be on its way.
    assert [frame[2:3] for frame in made[len(frames) :]] in ([], [b"L"])
