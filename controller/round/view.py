"""What the outside may see of a table: the retained topics, computed from the state and from nothing else.

No face-down card is in it before its reveal, and no hash of one that could be searched.
"""

from __future__ import annotations

from controller.games.game import Game
from controller.roads import scoreboard
from controller.round.holds import evidence_of_hold
from controller.round.opening import obstacle
from controller.round.secrecy import lies_hidden
from controller.round.state import State
from controller.round.turn import dealt, game_of
from controller.vocabulary.irregularities import KINDS


def retained(state: State) -> dict[str, dict[str, object]]:
    """Last part of the topic -> payload, of all that is retained for this state."""
    topics: dict[str, dict[str, object]] = {"display": shown_anyway(state)}
    if state.last is not None:
        topics["result"] = state.last
    for alert in state.alerts:
        topics[f"alerts/{alert.id}"] = {
            **alert.evidence,
            "id": alert.id,
            "code": alert.code,
            "message": alert.message,
            "at": alert.at,
        }
    return topics


def shown_anyway(state: State) -> dict[str, object]:
    """The display; where we fail to draw it, what a table must show even so: people have to see the hold."""
    try:
        return display(state)
    except Exception as error:  # a display that cannot be drawn must not stop the table (design, 6)
        hold = state.hold
        return {
            "game": state.configuration.game.name,
            "mode": state.configuration.table.mode,
            "phase": state.phase,
            "light": "red",
            "round": None if state.round is None else state.round.id,
            "cards": [],
            "result": None,
            "hold": None
            if hold is None
            else {"reason": hold.reason, "choices": list(KINDS[hold.reason].choices)},
            "fault": type(error).__name__,
        }


def display(state: State) -> dict[str, object]:
    """All that a display needs to draw the table without knowing anything before."""
    game = game_of(state.configuration)
    round_ = state.round
    shown: dict[str, object] = {
        "game": game.name,
        "layout": state.configuration.game.layout,
        "mode": state.configuration.table.mode,
        "phase": state.phase,
        "light": state.light,
        "round": round_.id if round_ is not None else None,
        "game_number": round_.game_number if round_ is not None else None,
        "countdown_end": countdown_end(state),
        "cards": public_cards(state, game),
        "next": next_position(state, game),
        "result": round_.result.body if round_ is not None and round_.result is not None else None,
        "revision": round_.revision if round_ is not None else 0,
        "void": round_.void if round_ is not None else None,
        "odds": round_.odds if round_ is not None else None,
        "free_hand": round_ is not None and round_.free_hand,
        "hold": held(state, game),
        "last_round": state.shoe is not None and state.shoe.rounds_left == 0,
        "shoe": shoe_progress(state),
        "last_results": list(state.history),
        "decisions": {hand: counts_of(state, hand) for hand in round_.decisions}
        if round_ is not None
        else {},
        "dealer": state.dealer,
        "gaming_day": state.gaming_day,
        "may_open": waiting_for(state),
    }
    if game.name == "baccarat":
        shown["scoreboard"] = scoreboard(
            [{key: mark[key] for key in mark if key != "round"} for mark in state.road]
        )
    return shown


def public_cards(state: State, game: Game) -> list[dict[str, object]]:
    """The cards as they lie, in deal order; one that lies face down has no name."""
    if state.round is None:
        return []
    return [
        {
            "position": laid.position,
            "card": None if lies_hidden(state.round, game, laid) else laid.drawn.card,
        }
        for laid in state.round.laid
    ]


def next_position(state: State, game: Game) -> str | None:
    """Where the next card goes, while cards are dealt; in a hold people decide that first."""
    if state.phase != "dealing" or state.round is None or state.holds:
        return None
    return game.next_position(dealt(state.round))


def countdown_end(state: State) -> str | None:
    """When the running clock is over; None where none runs."""
    return next((timer.ends_at for timer in state.timers if timer.name != "warn"), None)


def held(state: State, game: Game) -> dict[str, object] | None:
    """The hold notice: why, the evidence that may be shown, the choices, and what must come out next."""
    hold = state.hold
    if hold is None:
        return None
    kind = KINDS[hold.reason]
    notice: dict[str, object] = {
        "round": hold.round,
        "reason": hold.reason,
        "meaning": kind.meaning,
        "evidence": evidence_of_hold(state, game, hold),
        "choices": list(kind.choices),
        "what_they_do": dict(kind.choices),
        "waiting": len(hold.joined) + len(hold.events[1:]),
        "beneath": [other.reason for other in reversed(state.holds[:-1])],
    }
    if state.shoe is not None and state.shoe.expected:
        notice["next_out"] = [None if game.has_reveal else drawn.card for drawn in state.shoe.expected]
    return notice


def shoe_progress(state: State) -> dict[str, object] | None:
    """How far the shoe is, by the count."""
    shoe = state.shoe
    if shoe is None:
        return None
    return {
        "id": shoe.id,
        "set": shoe.set,
        "decks": shoe.decks,
        "cards": shoe.total,
        "drawn": len(shoe.drawn),
        "left": shoe.left,
        "burns_pending": shoe.burns_pending,
        "unusable": shoe.unusable,
    }


def counts_of(state: State, hand: str) -> dict[str, int]:
    """Played, folded and auto-folded players of a hand."""
    reported = state.round.decisions[hand] if state.round is not None else None
    if reported is None:
        return {}
    return {"play": reported.play, "fold": reported.fold, "auto": reported.auto}


def waiting_for(state: State) -> dict[str, object]:
    """Whether the next round may open now, and if not, why: the dealer's page says it in words."""
    found = obstacle(state)
    return {
        "open": found is None,
        "code": found.code if found else None,
        "why": found.message if found else None,
    }


def lock_wanted(state: State) -> bool:
    """Whether a draw would be illegal now, for a shoe that can be locked."""
    if state.holds:
        return True
    shoe = state.shoe
    if shoe is not None and (shoe.burns_pending or shoe.burn_count_pending):
        return False
    if state.phase == "betting":
        return state.configuration.round.close != "first_card"
    return state.phase != "dealing"
