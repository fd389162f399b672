"""The end of a shoe: it is finished, or a finding bars it."""

from __future__ import annotations

from typing import Final

from controller.round.turn import Turn
from controller.shoe.ledger import Unusable
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


def end_finished_shoe(turn: Turn) -> None:
    """The last round of the shoe is over."""
    if turn.state.shoe is not None and turn.shoe.rounds_left == 0:
        end_shoe(turn, "cut_card")


def end_shoe(turn: Turn, reason: Unusable) -> None:
    """No further round from this shoe; said once."""
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
