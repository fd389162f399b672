"""A unit that was replaced: the new epoch says so, and ends the round that the dead unit left behind.

The new table has no shoe, so no round opens before one is loaded and counted; nothing else of the old unit
comes over.
"""

from __future__ import annotations

from controller.round.results import remember_void
from controller.round.turn import Turn
from controller.round.voids import closing_notice, publish_void
from controller.vocabulary.events import EpochStarted, Orphan
from controller.vocabulary.evidence import Evidence
from controller.vocabulary.messages import EpochStartedMessage, RoundFinal


def epoch_started(turn: Turn, event: EpochStarted) -> None:
    """The first event of an epoch, once. A round that was running is void, a settled one is final (5.2)."""
    if turn.state.said or turn.state.previous is not None:
        turn.refuse("epoch_running", "a unit is replaced before its journal says anything")
        return
    turn.set(previous=event.previous)
    orphan = event.orphan
    turn.say(
        EpochStartedMessage(
            previous=event.previous,
            last_acknowledged=event.last_acknowledged,
            round=None if orphan is None else orphan.round,
            by=event.by,
            note=event.note,
        )
    )
    if orphan is None:
        return
    if orphan.settled:
        turn.say(RoundFinal(round=orphan.round, revision=orphan.revision))
    else:
        void_orphan(turn, event, orphan)


def void_orphan(turn: Turn, event: EpochStarted, orphan: Orphan) -> None:
    """Its stakes go back."""
    evidence = Evidence(code="unit_replaced", paragraph=None, previous=event.previous)
    notice = closing_notice(evidence, orphan.result, event.by, event.note)
    publish_void(turn, orphan.round, notice)
    if orphan.game_number is not None:
        remember_void(turn, orphan.round, orphan.game_number, notice)
