"""The cut card: how many further rounds a shoe deals."""

from __future__ import annotations

import msgspec

from controller.round.holds import change_hold
from controller.round.turn import Turn, is_supervisor
from controller.shoe.ledger import Drawn
from controller.vocabulary.events import CutCardSeen


def cut_card_seen(turn: Turn, event: CutCardSeen) -> None:
    """The sensor or the dealer saw it; a second time, or in a continuous shuffler, it means nothing."""
    if turn.state.shoe is None:
        turn.refuse("no_shoe", "no shoe is loaded")
    elif turn.state.configuration.shoe.kind == "shoe" and passed_unread(turn, event.by):
        change_hold(turn, entered=msgspec.structs.replace(unread(turn)[0], entered_by=event.by))
    elif turn.state.configuration.shoe.kind == "shoe":
        pass_cut_card(turn)


def passed_unread(turn: Turn, by: str) -> bool:
    """Whether a supervisor reports that what passed the reader unread was the cut card, which has no code and
    breaks the beam like any other card."""
    return bool(unread(turn)) and is_supervisor(turn.state, by)


def unread(turn: Turn) -> tuple[Drawn, ...]:
    """What a hold for ``card_unread`` is about."""
    hold = turn.state.hold
    return hold.items if hold is not None and hold.reason == "card_unread" else ()


def pass_cut_card(turn: Turn) -> None:
    """In a round: this one and one more. Before its first card, or between rounds: the next cards' round is
    the last."""
    if turn.shoe.rounds_left is not None:
        return
    started = turn.state.in_round and bool(turn.round.laid)
    if started:
        left = 1 if turn.state.configuration.shoe.cut_card == "one_more" else 0
    else:
        left = 0 if turn.state.in_round else 1
    turn.set_shoe(rounds_left=left)


def pass_marked_cut_card(turn: Turn) -> None:
    """In a shoe without a sensor: pass the cut card when only as many cards are left as the house puts behind
    it."""
    behind = turn.state.configuration.shoe.cut_card_behind
    if behind and turn.shoe.left <= behind:
        pass_cut_card(turn)
