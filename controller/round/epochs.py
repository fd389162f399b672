"""A unit that was replaced: the new epoch says so, and ends the round that the dead unit left behind.

The new table has no shoe, so no round opens before one is loaded and counted; nothing else of the old unit
comes over.
"""

from __future__ import annotations

from controller.round.recall import KEPT
from controller.round.turn import Turn
from controller.vocabulary.events import EpochStarted, Orphan
from controller.vocabulary.irregularities import VOID_REASONS


def epoch_started(turn: Turn, event: EpochStarted) -> None:
    """The first word of an epoch, once. A round that was running is void, a settled one stands (5.2)."""
    if turn.state.said or turn.state.previous is not None:
        turn.refuse("epoch_running", "a unit is replaced before its journal says anything")
        return
    turn.set(previous=event.previous)
    orphan = event.orphan
    data: dict[str, object] = {
        "previous": event.previous,
        "last_acknowledged": dict(event.last_acknowledged),
        "round": None if orphan is None else orphan.round,
        "by": event.by,
        "note": event.note,
    }
    turn.say("epoch.started", data)
    if orphan is None:
        return
    if orphan.settled:
        final: dict[str, object] = {"round": orphan.round, "revision": orphan.revision}
        turn.say("round.final", final, round_id=orphan.round)
    else:
        void_orphan(turn, event, orphan)


def void_orphan(turn: Turn, event: EpochStarted, orphan: Orphan) -> None:
    """Its stakes go back; its cards are people's business, and the shoe that they came from goes."""
    rule, _ = VOID_REASONS["supervisor"]
    data: dict[str, object] = {
        "round": orphan.round,
        "reason": "supervisor",
        "rule": rule,
        "evidence": [{"code": "unit_replaced", "paragraph": None, "previous": event.previous}],
        "retracts": orphan.result,
        "bets": "refund",
        "shoe": "withdraw",
        "by": event.by,
        "note": event.note,
    }
    message = turn.say("round.void", data, round_id=orphan.round)
    turn.set(last={"id": message, "kind": "void", **data})
    if orphan.game_number is not None:
        entry: dict[str, object] = {
            "round": orphan.round,
            "game_number": orphan.game_number,
            "void": {"reason": "supervisor", "rule": rule},
        }
        turn.set(history=(*turn.state.history, entry)[-KEPT:])
