"""The table's own opening and closing, and who deals."""

from __future__ import annotations

from controller.round.turn import Turn
from controller.vocabulary.events import DealerSignedOn, TableClosed, TableOpened
from controller.vocabulary.messages import TableClosedMessage, TableOpenedMessage


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
    """Record who deals, and show it on the dealer's page; the dealer's badge is no supervisor's."""
    turn.set(dealer=event.by or None, gaming_day=event.gaming_day or turn.state.gaming_day)
