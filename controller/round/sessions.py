"""What begins and ends at the table: gaming days, who deals, and the unit itself where it was replaced.

The table of a new unit has no shoe, so no round opens before one is loaded and counted; nothing else of the
old unit comes over.
"""

from __future__ import annotations

from controller.round.results import remember_void
from controller.round.turn import Turn
from controller.round.voids import closing_notice, publish_void
from controller.vocabulary.events import (
    DealerSignedOff,
    DealerSignedOn,
    EpochStarted,
    Orphan,
    TableClosed,
    TableOpened,
)
from controller.vocabulary.evidence import Evidence
from controller.vocabulary.messages import (
    EpochStartedMessage,
    RoundFinal,
    TableClosedMessage,
    TableDealer,
    TableOpenedMessage,
)


def table_opened(turn: Turn, event: TableOpened) -> None:
    """A gaming day begins at this table."""
    turn.set(opened=True, closing=False, gaming_day=event.gaming_day or turn.state.gaming_day)
    turn.clear_alert("opening")
    turn.say(TableOpenedMessage(by=event.by, gaming_day=turn.state.gaming_day))


def table_closed(turn: Turn, event: TableClosed) -> None:
    """No further round opens; one that runs is played to its end. A gaming day does not end at midnight."""
    turn.set(opened=False, closing=True, gaming_day=event.gaming_day or turn.state.gaming_day)
    turn.say(TableClosedMessage(by=event.by, gaming_day=turn.state.gaming_day, in_round=turn.state.in_round))


def dealer_signed_on(turn: Turn, event: DealerSignedOn) -> None:
    """Record who deals, and tell it; the dealer's badge is no supervisor's."""
    change_dealer(turn, event.by or None, event.gaming_day)


def dealer_signed_off(turn: Turn, event: DealerSignedOff) -> None:
    """Nobody deals until somebody signs on. ``by``, where it is said, is who leaves."""
    if turn.state.dealer is None or event.by not in ("", turn.state.dealer):
        turn.refuse("not_signed_on", "no such dealer is signed on")
    else:
        change_dealer(turn, None, event.gaming_day)


def change_dealer(turn: Turn, dealer: str | None, gaming_day: str | None) -> None:
    """Say who deals, where that changes."""
    before = turn.state.dealer
    turn.set(dealer=dealer, gaming_day=gaming_day or turn.state.gaming_day)
    if dealer != before:
        turn.say(TableDealer(dealer=dealer, before=before, gaming_day=turn.state.gaming_day))


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
            public_key=None if turn.state.software is None else turn.state.software.public_key,
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
