"""When we fail on an event: the table holds, the event and the facts after it wait, and a void always works.

What devices and people say of cards and shoes while a fault is open is not held against a state that we know
to be wrong: it queues behind the event that failed. ``continue`` handles all of it again in its order;
``void`` drops the event, and what was said of its shoe, with the round and the shoe.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import asdict

from controller.round.bets import end_bets
from controller.round.holds import concerns_round, end_holds, say_held, tell_hold
from controller.round.results import forget_result
from controller.round.state import Hold, State
from controller.round.turn import Turn, is_supervisor
from controller.round.voids import closing_notice, published_result, record_void
from controller.vocabulary.codec import decode_event, encode_event
from controller.vocabulary.events import (
    AnyEvent,
    BookClosed,
    CardEntered,
    CardRead,
    CardReturned,
    CardsCollected,
    CardUnread,
    CutCardSeen,
    HoldCleared,
    ResultReported,
    RoundVoided,
    ShoeCounted,
    ShoeEmptied,
    ShoeLoaded,
    ShuffleCompleted,
    ShuffleFailed,
    Stamp,
)
from controller.vocabulary.evidence import Evidence, Proof
from controller.vocabulary.irregularities import VOID_REASONS, Irregularity

CARDS = (CardRead, CardUnread)

ABOUT_SHOE = (*CARDS, CardsCollected, CutCardSeen, ShoeCounted, ShoeEmptied, BookClosed)
"""Facts about the shoe in use, which a void of the fault withdraws."""

SHOES = (ShoeLoaded, ShuffleCompleted)
"""What begins a shoe: the facts behind it are of that one."""

FACTS = (*ABOUT_SHOE, *SHOES, ShuffleFailed, ResultReported)
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
    elif isinstance(event, FACTS):
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
    return isinstance(event, OF_SHOE) and concerns_round(turn, "fault")


def kept(turn: Turn, event: AnyEvent) -> bytes:
    """The event as a line of the record, to be handled again."""
    return encode_event(event, msgspec.structs.replace(turn.stamp, fault=None))


def open_fault(state: State) -> Hold | None:
    """The hold for a fault among the open ones; there is one at most."""
    return next((hold for hold in state.holds if hold.reason == "fault"), None)


def queue_behind_fault(turn: Turn, event: AnyEvent) -> bool:
    """Let a fact that comes behind an open fault wait unchecked; whether it does. In a round no shoe can be
    loaded: that is refused at once."""
    refused = isinstance(event, ShoeLoaded) and turn.state.in_round
    if open_fault(turn.state) is None or not isinstance(event, FACTS) or refused:
        return False
    queue(turn, event)
    if isinstance(event, CARDS):
        say_held(turn)
    return True


def queue(turn: Turn, event: AnyEvent) -> None:
    """Put a fact behind the event that failed."""
    holds = list(turn.state.holds)
    for place, hold in enumerate(holds):
        if hold.reason == "fault":
            holds[place] = msgspec.structs.replace(hold, events=(*hold.events, kept(turn, event)))
    turn.set(holds=tuple(holds))


def left_after(fault: Hold, event: AnyEvent) -> list[tuple[AnyEvent, Stamp]]:
    """What is to be handled now that the hold for the fault is over: after ``continue`` all, after a void
    neither what failed nor what was said of its shoe."""
    waiting = [decode_event(line) for line in fault.events]
    if isinstance(event, HoldCleared) and event.choice == "continue":
        return waiting
    behind, left = waiting[1:], list[tuple[AnyEvent, Stamp]]()
    for place, (waits, stamp) in enumerate(behind):
        if isinstance(waits, SHOES):
            return [*left, *behind[place:]]
        if not isinstance(waits, ABOUT_SHOE):
            left.append((waits, stamp))
    return left


def is_void(state: State, event: AnyEvent) -> bool:
    """Whether a supervisor asks for the end of a round that can be voided, or of what holds."""
    if isinstance(event, RoundVoided):
        return state.voidable and event.reason in VOID_REASONS and is_supervisor(state, event.by)
    if not isinstance(event, HoldCleared) or event.choice != "void" or not state.holds:
        return False
    return is_supervisor(state, event.by)


def asks_alone(turn: Turn, event: AnyEvent) -> bool:
    """Whether the house wants two badges for a void, and this is the first; it is remembered."""
    state, by = turn.state, getattr(event, "by", "")
    if not state.configuration.round.two_person_void or state.void_asked_by not in (None, by):
        return False
    turn.set(void_asked_by=by, void_asked_for=getattr(event, "reason", "supervisor"))
    return True


def void_without_rules(turn: Turn, event: AnyEvent, error: str) -> None:
    """The void that needs neither game nor ledger: stakes go back, a result is retracted, the shoe is
    withdrawn.

    Where no round is touched it only takes the holds away that touch none.
    """
    by = getattr(event, "by", "")
    holds = turn.state.holds
    touched = isinstance(event, RoundVoided) or holds[-1].round is not None
    if turn.state.voidable and touched:
        evidence = Evidence(code="fault", paragraph=None, event=type(event).__name__, error=error)
        notice = closing_notice(evidence, published_result(turn.round), by, None)
        if turn.state.phase == "betting":
            end_bets(turn, "void")
        turn.step("void")
        turn.set_round(result=None, withdrawn=None)
        record_void(turn, notice)
        turn.set(reserved=None)
        forget_result(turn)
    else:
        holds = tuple(hold for hold in holds if hold.round is None)
    end_holds(turn, holds, by)
    if turn.state.shoe is not None:
        turn.set_shoe(unusable="fault")
    turn.raise_alert("shoe", "fault", "the controller failed: load another shoe")
