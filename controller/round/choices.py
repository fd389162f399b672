"""What a supervisor may choose in a hold: what its reason offers, as far as house and cards allow it."""

from __future__ import annotations

from controller.round.state import Hold, State
from controller.round.turn import next_game
from controller.vocabulary.irregularities import KINDS, VOID_OF_NO_ROUND


def choices_of(state: State, hold: Hold) -> dict[str, str]:
    """Choice -> what it does, in words, in the order they are offered."""
    refused = set()
    if state.exposed_card != "play":
        refused.add("next_round")  # a card that people saw would be the known first card of open bets
    if next_game(state).shuffled_every_round and state.newest.shoe.kind == "continuous":
        refused.add("next_round")  # it would be missing in the pack that is mixed before
    if hold.reason == "card_unread" and not state.burns_due:
        refused.add("burn")
    if hold.reason == "extra_card" and state.shoe is None:
        refused.add("return")  # no shoe is loaded that it could go back into
    laid = why_not_laid(state) is None and (not state.loose or bool(lying_twice(state, hold)))
    if (takes_laid_card(hold) or lying_twice(state, hold)) and not laid:
        refused.add("return")
    kind = KINDS[hold.reason]
    said = {choice: meaning for choice, meaning in kind.choices.items() if choice not in refused}
    if "void" in said and hold.round is None:
        withdraws = state.shoe is not None and state.shoe.id == hold.shoe and void_withdraws(hold)
        said["void"] = VOID_OF_NO_ROUND + ("; the shoe is withdrawn" if withdraws else "")
    return said


def void_withdraws(hold: Hold) -> bool:
    """Whether a void of this hold takes its shoe off the table as well."""
    return KINDS[hold.reason].voids or hold.reason == "fault"


def takes_laid_card(hold: Hold) -> bool:
    """``return`` of a hold that is about no card of its own takes the last one that lies, unless one went
    back."""
    return hold.reason == "result_disagrees" and not hold.returned and not hold.cards


def read_twice(hold: Hold) -> frozenset[int]:
    """The draws of the double reads that this hold is about."""
    draws = (finding.evidence.draw for finding in hold.findings if finding.code == "rapid_repeat")
    return frozenset(draw for draw in draws if isinstance(draw, int))


def lying_twice(state: State, hold: Hold) -> frozenset[int]:
    """Those of them that lie as cards of the round."""
    shoe, round_ = state.shoe, state.round
    if shoe is None or round_ is None or not state.voidable or not hold.shoe == shoe.id == round_.shoe_id:
        return frozenset()  # draws of another shoe are other cards
    return read_twice(hold) & {laid.drawn.draw for laid in round_.laid}


def why_not_laid(state: State) -> str | None:
    """Why the last card of the round cannot go back, or None if it can (5.2)."""
    round_, shoe = state.round, state.shoe
    if round_ is None or not state.voidable or not round_.laid:
        return "no card lies that could go back"
    if shoe is None or shoe.id != round_.shoe_id:
        return "the shoe was changed: nothing can go back into it"
    if round_.laid[-1].drawn.draw not in shoe.draw_numbers():
        return "the cards of the round were collected already"
    if shoe.burns_pending or round_.burns_pending:
        return "cards are to be burned first: the one that went back would be taken for a burn"
    return None
