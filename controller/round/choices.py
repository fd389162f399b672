"""What a supervisor may choose in a hold: what its reason offers, as far as house and cards allow it."""

from __future__ import annotations

from controller.round.state import Hold, State
from controller.vocabulary.irregularities import KINDS


def choices_of(state: State, hold: Hold) -> dict[str, str]:
    """Choice -> what it does, in words, in the order they are offered."""
    refused = set()
    if state.exposed_card != "play":
        refused.add("next_round")  # a card that people saw would be the known first card of open bets
    if hold.reason == "card_unread" and not state.burns_due:
        refused.add("burn")
    kind = KINDS[hold.reason]
    return {choice: meaning for choice, meaning in kind.choices.items() if choice not in refused}
