"""The end of a shoe: the cut card announces it, the last round is over, or a finding bars it."""

from __future__ import annotations

from typing import Final

import msgspec

from controller.round.burns import take_away_reserved
from controller.round.holds import behind_fault, change_hold
from controller.round.turn import Turn, is_supervisor
from controller.shoe.ledger import Drawn, Unusable
from controller.vocabulary.events import CutCardSeen
from controller.vocabulary.irregularities import KINDS
from controller.vocabulary.messages import ShoeEnded

_REASONS: Final[dict[str, Unusable]] = {
    "foreign_card": "foreign_card",
    "excess": "excess",
    "duplicate_serial": "excess",
    "shortage": "shortage",
    "insufficient_cards": "insufficient_cards",
    "not_shuffled": "not_shuffled",
    "fault": "fault",
}
"""Code of a finding -> why the shoe is barred."""


def cut_card_seen(turn: Turn, event: CutCardSeen) -> None:
    """The sensor or the dealer saw it; a second time, or in a continuous shuffler, it means nothing."""
    if turn.state.shoe is None:
        turn.refuse("no_shoe", "no shoe is loaded")
    elif turn.state.shoe_configuration.shoe.kind == "shoe" and passed_unread(turn, event.by):
        change_hold(turn, entered=msgspec.structs.replace(unread(turn)[0], entered_by=event.by))
    elif turn.state.shoe_configuration.shoe.kind == "shoe":
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
    named = any(card.card is not None for hold in turn.state.holds for card in hold.cards)
    # A card that waits came before it; but what was not read may be the cut card itself.
    held = turn.state.phase == "dealing" and (named or behind_fault(turn.state) > 0)
    kept = turn.state.reserved is not None  # the round's first card
    started = turn.state.in_round and (bool(turn.round.laid) or kept or held)
    if started:
        left = 1 if turn.state.shoe_configuration.shoe.cut_card == "one_more" else 0
    else:
        left = 0 if turn.state.in_round else 1
    turn.set_shoe(rounds_left=left)


def pass_marked_cut_card(turn: Turn) -> None:
    """In a shoe without a sensor: pass the cut card when only as many cards are left as the house puts behind
    it."""
    behind = turn.state.shoe_configuration.shoe.cut_card_behind
    if behind and turn.shoe.left <= behind:
        pass_cut_card(turn)


def end_finished_shoe(turn: Turn) -> None:
    """The last round of the shoe is over."""
    if turn.state.shoe is not None and turn.shoe.rounds_left == 0:
        end_shoe(turn, "cut_card")


def end_shoe(turn: Turn, reason: Unusable) -> None:
    """No further round from this shoe; said once. A card that is kept for such a round is burned."""
    if not turn.state.in_round or turn.round.laid:  # else the running round takes it
        take_away_reserved(turn)
    if turn.shoe.unusable is None:
        turn.set_shoe(unusable=reason)
        say_ended(turn, reason)


def say_ended(turn: Turn, reason: str) -> None:
    """Publish that the shoe is out of use."""
    shoe = turn.shoe
    turn.say(ShoeEnded(shoe=shoe.id, set=shoe.set, reason=reason, drawn=len(shoe.drawn), left=shoe.left))


def bar_shoe(turn: Turn, code: str) -> None:
    """No further round from this shoe; for 5.1.5 until it is shuffled."""
    end_shoe(turn, _REASONS[code])
    meaning = KINDS[code].meaning
    mend = "shuffle it" if code == "not_shuffled" else "load another one"
    turn.raise_alert("shoe", code, f"this shoe deals no further round ({meaning}): {mend}")
