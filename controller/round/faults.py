"""When we fail on an event: the table holds, the event and the cards after it wait, and a void always works.

A card that comes while a fault is open is not checked against a state that we know to be wrong: it queues
behind the event that failed, and so does what the shoe says of the result. ``continue`` handles all of them
again in their order; ``void`` drops them with the round and the shoe. A shoe that is loaded meanwhile has
nothing to do with the cards before it.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET
from msgspec.structs import asdict

from controller.round.bets import end_bets
from controller.round.holds import concerns_round, end_holds, say_held, tell_hold
from controller.round.results import forget_result
from controller.round.state import Hold, State
from controller.round.turn import Turn, is_supervisor
from controller.round.voids import closing_notice, published_result, record_void
from controller.shoe.ledger import Shoe
from controller.vocabulary.codec import decode_event, encode_event
from controller.vocabulary.events import (
    AnyEvent,
    CardEntered,
    CardRead,
    CardReturned,
    CardUnread,
    HoldCleared,
    ResultReported,
    RoundVoided,
    ShoeCounted,
    ShoeEmptied,
    ShoeLoaded,
    ShuffleCompleted,
    Stamp,
)
from controller.vocabulary.evidence import Evidence, Proof
from controller.vocabulary.irregularities import VOID_REASONS, Irregularity
from controller.vocabulary.messages import ShoeEnded

CARDS = (CardRead, CardUnread)

QUEUED = (*CARDS, ResultReported)
"""What waits behind an event that failed."""

OF_SHOE = (*CARDS, ShoeCounted, ShoeEmptied)
"""What may tell something of a round that is settled, where its shoe is still in use."""

OF_ROUND = (CardReturned, ResultReported, RoundVoided)
"""What is of the last round in any case."""


def fault(turn: Turn, event: AnyEvent, error: str) -> None:
    """Hold, and keep the event to be handled again; nothing here needs the game, the checks or the ledger.

    ``error`` is the type's name: a text could name a face-down card.
    """
    if is_void(turn.state, event):
        if asks_alone(turn, event):
            message = f"{type(event).__name__} failed ({error}): a second badge must ask for the void, too"
            turn.raise_alert("fault-controller", "fault", message)
        else:
            void_without_rules(turn, event, error)
    elif open_fault(turn.state) is None:
        hold_without_rules(turn, event, error)
    elif isinstance(event, QUEUED):
        queue(turn, event)
    else:
        message = f"{type(event).__name__} failed again ({error}): void the round and load a new shoe"
        turn.raise_alert("fault-controller", "fault", message)
    turn.set(timers=())


def hold_without_rules(turn: Turn, event: AnyEvent, error: str) -> None:
    """A hold of its own, on top of what holds already."""
    proof = Proof(event=type(event).__name__, error=error)
    running = turn.round.id if touches_round(turn, event) else None
    hold = Hold(
        "fault",
        running,
        None if turn.state.shoe is None else turn.shoe.id,
        (Irregularity("fault", proof),),
        events=(kept(turn, event),),
    )
    turn.set(holds=(*turn.state.holds, hold))
    tell_hold(turn, (Evidence(code="fault", paragraph=None, **asdict(proof)),))


def touches_round(turn: Turn, event: AnyEvent) -> bool:
    """Whether the event is of a round that can be voided. That a new shoe, an opening or a device failed is
    no matter of a round that was settled before."""
    state = turn.state
    if not state.voidable or state.in_round or isinstance(event, OF_ROUND):
        return state.voidable
    if isinstance(event, HoldCleared | CardEntered):
        return state.hold is not None and state.hold.round is not None
    other = isinstance(event, ShoeCounted) and event.set not in (None, turn.shoe.set)
    return isinstance(event, OF_SHOE) and concerns_round(turn, "fault") and not other


def kept(turn: Turn, event: AnyEvent) -> bytes:
    """The event as a line of the record, to be handled again."""
    return encode_event(event, msgspec.structs.replace(turn.stamp, fault=None))


def open_fault(state: State) -> Hold | None:
    """The hold for a fault among the open ones; there is one at most."""
    return next((hold for hold in state.holds if hold.reason == "fault"), None)


def queue_behind_fault(turn: Turn, event: AnyEvent) -> bool:
    """Let a card, or the shoe's result, that comes behind an open fault wait unchecked; whether it does."""
    if open_fault(turn.state) is None or not isinstance(event, QUEUED):
        return False
    queue(turn, event)
    if isinstance(event, CARDS):
        say_held(turn)
    return True


def queue(turn: Turn, event: AnyEvent) -> None:
    """Put it behind the event that failed."""
    hold = open_fault(turn.state)
    if hold is not None:
        change(turn, hold, msgspec.structs.replace(hold, events=(*hold.events, kept(turn, event))))


def change(turn: Turn, hold: Hold, changed: Hold) -> None:
    """Replace an open hold."""
    turn.set(holds=tuple(changed if one is hold else one for one in turn.state.holds))


def follow_shoe(turn: Turn, shoe: int) -> None:
    """Another shoe is in use: cards of the one before wait no longer, nor does a load that failed. A void now
    withdraws this shoe, whose cards wait from here on."""
    hold = open_fault(turn.state)
    if hold is None:
        return
    waiting = [(line, decode_event(line)[0]) for line in hold.events]
    gone = Evidence(code="drawn_in_hold", card=None, of_shoe=hold.shoe or UNSET)
    cards = sum(isinstance(event, CARDS) for _, event in waiting)
    kept_ = tuple(
        line for line, event in waiting if not isinstance(event, (*CARDS, ShoeLoaded, ShuffleCompleted))
    )
    change(
        turn, hold, msgspec.structs.replace(hold, shoe=shoe, events=kept_, gone=(*hold.gone, *[gone] * cards))
    )


def left_after(turn: Turn, fault: Hold, event: AnyEvent) -> list[tuple[AnyEvent, Stamp]]:
    """What is to be handled now that the hold for the fault is over: after ``continue`` all of it, after a
    void what the shoe said of a round that still stands."""
    waiting = [decode_event(line) for line in fault.events]
    if isinstance(event, HoldCleared) and event.choice == "continue":
        return waiting
    return [one for one in waiting[1:] if isinstance(one[0], ResultReported) and turn.state.voidable]


def is_void(state: State, event: AnyEvent) -> bool:
    """Whether a supervisor asks for the end of a round that can be voided, or of what holds."""
    if isinstance(event, RoundVoided):
        return state.voidable and event.reason in VOID_REASONS and is_supervisor(state, event.by)
    if not isinstance(event, HoldCleared) or event.choice != "void" or not state.holds:
        return False
    return is_supervisor(state, event.by)


def asks_alone(turn: Turn, event: AnyEvent) -> bool:
    """Whether the house wants two badges for this void of a round, and this is the first, which is
    remembered."""
    state, by, reason = turn.state, getattr(event, "by", ""), getattr(event, "reason", None)
    if not (state.configuration.round.two_person_void and is_of_round(state, event)):
        return False
    if state.void_asked_by not in (None, by) and reason in (None, state.void_asked_for):
        return False
    turn.set(void_asked_by=by, void_asked_for=reason or "supervisor")
    return True


def is_of_round(state: State, event: AnyEvent) -> bool:
    """Whether a void takes a round, or only what holds."""
    return state.voidable and (isinstance(event, RoundVoided) or state.holds[-1].round is not None)


def void_without_rules(turn: Turn, event: AnyEvent, error: str) -> None:
    """The void that needs neither game nor ledger: stakes go back, a result is retracted, the shoe is
    withdrawn.

    Where no round is touched it only takes the holds away that touch none; what holds of the next shoe is no
    matter of a void of the last round.
    """
    by, last = getattr(event, "by", ""), None if turn.state.round is None else turn.round.shoe_id
    touched = is_of_round(turn.state, event)
    holds = tuple(
        hold
        for hold in turn.state.holds
        if (hold.round is None) != touched or (touched and hold.shoe == last)
    )
    if touched:
        evidence = Evidence(code="fault", paragraph=None, event=type(event).__name__, error=error)
        notice = closing_notice(evidence, published_result(turn.round), by, None)
        if turn.state.phase == "betting":
            end_bets(turn, "void")
        turn.step("void")
        turn.set_round(result=None, withdrawn=None)
        record_void(turn, notice)
        turn.set(reserved=None)
        forget_result(turn)
    end_holds(turn, holds, by)
    shoe = turn.state.shoe
    if shoe is not None and shoe.id in (*(hold.shoe for hold in holds), last):
        withdraw(turn, shoe)


def withdraw(turn: Turn, shoe: Shoe) -> None:
    """The shoe in use deals no further round."""
    if shoe.unusable is None:
        turn.set_shoe(unusable="fault")
        left = shoe.total - len(shoe.drawn)
        turn.say(ShoeEnded(shoe=shoe.id, set=shoe.set, reason="fault", drawn=len(shoe.drawn), left=left))
    turn.raise_alert("shoe", "fault", "the controller failed: load another shoe")
