"""When we fail on an event: the table holds, the event and the cards after it wait, and a void always works.

A card that comes while a fault is open is not checked against a state that we know to be wrong: it queues
behind the event that failed. ``continue`` handles all of them again in their order; ``void`` drops them with
the round and the shoe.
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
)
from controller.vocabulary.evidence import Evidence, Proof
from controller.vocabulary.irregularities import Irregularity

CARDS = (CardRead, CardUnread)

OF_SHOE = (*CARDS, ShoeCounted, ShoeEmptied)
"""What may tell something of a round that is settled, where its shoe is still in use."""

OF_ROUND = (CardReturned, ResultReported, RoundVoided)
"""What is of the last round in any case."""


def fault(turn: Turn, event: AnyEvent, error: str) -> None:
    """Hold, and keep the event to be handled again; nothing here needs the game, the checks or the ledger.

    ``error`` is the type's name: a text could name a face-down card.
    """
    if is_void(turn.state, event):
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


def drop_cards(turn: Turn) -> None:
    """The shoe goes, and with it the cards that wait behind a fault: they are none of the next one's."""
    shoe = UNSET if turn.state.shoe is None else turn.shoe.id
    hold = open_fault(turn.state)
    cards = 0 if hold is None else sum(isinstance(decode_event(line)[0], CARDS) for line in hold.events)
    if hold is not None and cards:
        gone = [Evidence(code="drawn_in_hold", card=None, of_shoe=shoe)] * cards
        rest = msgspec.structs.replace(hold, events=hold.events[:-cards], gone=(*hold.gone, *gone))
        turn.set(holds=tuple(rest if one is hold else one for one in turn.state.holds))


def is_void(state: State, event: AnyEvent) -> bool:
    """Whether a supervisor asks for the end of a round that can be voided, or of what holds."""
    if isinstance(event, RoundVoided):
        return state.voidable and is_supervisor(state, event.by)
    if not isinstance(event, HoldCleared) or event.choice != "void" or not state.holds:
        return False
    return is_supervisor(state, event.by)


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
