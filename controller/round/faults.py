"""When we fail on an event: the table holds, the event and the cards after it wait, and a void always works.

A card that comes while a fault is open is not checked against a state that we know to be wrong: it queues
behind the event that failed. ``continue`` handles all of them again in their order; ``void`` drops them with
the round and the shoe.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import asdict

from controller.round.bets import end_bets
from controller.round.holds import end_all_holds, say_held, tell_hold
from controller.round.results import forget_result
from controller.round.state import Hold, State
from controller.round.turn import Turn, is_supervisor
from controller.round.voids import closing_notice, published_result, record_void
from controller.vocabulary.codec import encode_event
from controller.vocabulary.events import AnyEvent, CardRead, CardUnread, HoldCleared, RoundVoided
from controller.vocabulary.evidence import Evidence, Proof
from controller.vocabulary.irregularities import Irregularity

CARDS = (CardRead, CardUnread)


def fault(turn: Turn, event: AnyEvent, error: str) -> None:
    """Hold, and keep the event to be handled again; nothing here needs the game, the checks or the ledger.

    ``error`` is the type's name: a text could name a face-down card.
    """
    if is_void(turn.state, event) and (turn.state.voidable or turn.state.holds):
        void_without_rules(turn, event, error)
    elif open_fault(turn.state) is None:
        hold_without_rules(turn, event, error)
    elif isinstance(event, CARDS):
        queue(turn, event)
    else:
        message = f"{type(event).__name__} failed again ({error}): void the round and load a new shoe"
        turn.raise_alert("fault-controller", "fault", message)
    turn.set(timers=())


def hold_without_rules(turn: Turn, event: AnyEvent, error: str) -> None:
    """A hold of its own, on top of what holds already."""
    proof = Proof(event=type(event).__name__, error=error)
    running = turn.round.id if turn.state.voidable else None
    hold = Hold(
        "fault",
        running,
        None if turn.state.shoe is None else turn.shoe.id,
        (Irregularity("fault", proof),),
        events=(kept(turn, event),),
    )
    turn.set(holds=(*turn.state.holds, hold))
    tell_hold(turn, (Evidence(code="fault", paragraph=None, **asdict(proof)),))


def kept(turn: Turn, event: AnyEvent) -> bytes:
    """The event as a line of the record, to be handled again."""
    return encode_event(event, msgspec.structs.replace(turn.stamp, fault=None))


def open_fault(state: State) -> Hold | None:
    """The hold for a fault among the open ones; there is one at most."""
    return next((hold for hold in state.holds if hold.reason == "fault"), None)


def queue_behind_fault(turn: Turn, event: AnyEvent) -> bool:
    """Let a card that comes behind an open fault wait unchecked; whether it does."""
    if open_fault(turn.state) is None or not isinstance(event, CARDS):
        return False
    queue(turn, event)
    say_held(turn)
    return True


def queue(turn: Turn, event: AnyEvent) -> None:
    """Put a card behind the event that failed."""
    holds = list(turn.state.holds)
    for place, hold in enumerate(holds):
        if hold.reason == "fault":
            holds[place] = msgspec.structs.replace(hold, events=(*hold.events, kept(turn, event)))
    turn.set(holds=tuple(holds))


def is_void(state: State, event: AnyEvent) -> bool:
    """Whether a supervisor asks for the end of the round."""
    if isinstance(event, RoundVoided):
        return is_supervisor(state, event.by)
    return isinstance(event, HoldCleared) and event.choice == "void" and is_supervisor(state, event.by)


def void_without_rules(turn: Turn, event: AnyEvent, error: str) -> None:
    """The void that needs neither game nor ledger: stakes go back, a result is retracted, the shoe is
    withdrawn.

    Between rounds it only takes the holds away.
    """
    by = getattr(event, "by", "")
    if turn.state.voidable:
        evidence = Evidence(code="fault", paragraph=None, event=type(event).__name__, error=error)
        notice = closing_notice(evidence, published_result(turn.round), by, None)
        if turn.state.phase == "betting":
            end_bets(turn, "void")
        turn.step("void")
        turn.set_round(result=None, withdrawn=None)
        record_void(turn, notice)
        turn.set(reserved=None)
        forget_result(turn)
    end_all_holds(turn, "void", by)
    if turn.state.shoe is not None:
        turn.set_shoe(unusable="fault")
    turn.raise_alert("shoe", "fault", "the controller failed: load another shoe")
