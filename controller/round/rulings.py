"""What a supervisor decides in a hold: one of its choices, and a card entered by hand."""

from __future__ import annotations

import re
from collections.abc import Set

import msgspec

from controller.round.arrival import admit
from controller.round.awaiting import answered, begin_deal
from controller.round.bets import close_decisions
from controller.round.burns import burn
from controller.round.choices import choices_of, lying_twice, read_twice, takes_laid_card, void_withdraws
from controller.round.devices import hold_for_lost_devices
from controller.round.holds import change_hold, end_hold, in_order, wait
from controller.round.known import is_known
from controller.round.places import close_bets, go_on_revealed, place, place_aside, place_or_wait
from controller.round.reconstruct import dismiss, give_back, lift_from, return_last_laid
from controller.round.results import judge_opinion, settle_by_itself
from controller.round.secrecy import awaits_reveal, before_it
from controller.round.shoe_end import bar_shoe, pass_cut_card, unread
from controller.round.shoes import look_whether_empty
from controller.round.shuffles import dispel, watch_doubt, why_not_dispelled
from controller.round.state import Deferred, Hold
from controller.round.turn import KEY, Turn, game_of, is_supervisor
from controller.round.voids import all_findings, confirmed, set_aside, void_round, voids_at_once
from controller.shoe.ledger import Drawn, cross_out, remove, rename
from controller.vocabulary.cards import parse_card
from controller.vocabulary.errors import CardError
from controller.vocabulary.events import CardEntered, HoldCleared
from controller.vocabulary.evidence import Opinion
from controller.vocabulary.irregularities import KINDS, foremost

KEY_ONLY = frozenset({"void", "enter", "return"})
"""Choices that no setting gives to a dealer."""

TAKES_CARDS = frozenset({"betting", "dealing", "decision"})
"""Phases in which a card may still count."""

LASTING = re.compile("shoe|opening|condition-.*|device-.*")
"""Alerts whose cause lasts: they go with it, not because somebody has seen them."""

NO_HOLD = "no_hold"
"""What a choice without a hold is refused with; that alone is nothing that somebody has seen to."""


def hold_cleared(turn: Turn, event: HoldCleared) -> None:
    """The one way out of a hold: a choice, and who chose. Without a hold: the alerts have been seen to."""
    hold = turn.state.hold
    if hold is None:
        acknowledge_alerts(turn, event)
        return
    choices = choices_of(turn.state, hold)
    if event.choice not in choices:
        turn.refuse("unknown_choice", f"a hold for {hold.reason} knows {', '.join(choices)}")
    elif not may_choose(turn, event):
        turn.refuse("key_needed", KEY)
    elif event.choice == "enter" and hold.entered is None:
        turn.refuse("not_yet", "enter the card first, or CUT where it was the cut card")
    elif hold.reason == "shuffle_doubt" and (refusal := why_not_dispelled(turn.shoe, event)) is not None:
        turn.refuse(*refusal)
    elif event.choice != "void":
        turn.set(void_asked_by=None, void_asked_for=None)
        end_hold(turn, event.choice, event.by, event.note)
        go_on(turn, hold, event.choice, resolve(turn, hold, event.choice))
        bar_for(turn, hold, event.choice)
        settle_by_itself(turn)
    elif hold.round is None or not turn.state.voidable:
        void_between_rounds(turn, hold, event)
    else:
        findings = all_findings(turn)
        reason = KINDS[foremost(findings).code].void_reason
        if confirmed(turn, event.by, reason):
            void_round(turn, reason, findings, by=event.by, note=event.note)


def void_between_rounds(turn: Turn, current: Hold, event: HoldCleared) -> None:
    """No round is touched: every hold that touches none ends at once, as with the void of a round, and its
    cards count nowhere."""
    opinions = list[Opinion]()
    while (hold := turn.state.hold) is not None and hold.round is None and hold.reason != "shuffle_doubt":
        opinions += [item.opinion for item in hold.waiting if item.opinion is not None]
        end_hold(turn, "void", event.by, event.note)
        resolve(turn, hold, "void")
        set_aside(turn, hold.joined)
        bar_for(turn, hold, "void")
    if current.reason != "device_lost":
        hold_for_lost_devices(turn)
    for opinion in opinions if turn.state.voidable else ():
        judge_opinion(turn, opinion)
    settle_by_itself(turn)


def end_by_itself(turn: Turn) -> None:
    """After each event: a doubt about a shuffle, or about a book, holds, or it is over without a key; and so
    with the hold beneath it."""
    while (over := over_by_itself(turn)) is not None:
        hold, why = over
        end_hold(turn, "continue", "controller", why)
        go_on(turn, hold, "continue", ())
    look_whether_empty(turn)


def over_by_itself(turn: Turn) -> tuple[Hold, str] | None:
    """The current hold, and why it is over without a key."""
    asked = (
        (watch_doubt, "a full shoe came from a completed shuffle"),
        (answered, "the book is closed"),
        (gone_with_shoe, "the card went with its shoe"),
    )
    return next(((hold, why) for is_over, why in asked if (hold := is_over(turn)) is not None), None)


def gone_with_shoe(turn: Turn) -> Hold | None:
    """The current hold where it is about an unread card that is gone: nobody can say what it was."""
    hold = turn.state.hold
    return hold if hold is not None and hold.reason == "card_unread" and not hold.items else None


def may_choose(turn: Turn, event: HoldCleared) -> bool:
    """A supervisor may choose anything, a dealer what the house lets him, never void, enter or return, nor
    that cards were shuffled."""
    if is_supervisor(turn.state, event.by):
        return True
    hold = turn.state.hold
    if hold is not None and hold.reason == "shuffle_doubt":
        return False
    return event.choice not in KEY_ONLY and event.choice in turn.state.configuration.round.dealer_choices


def acknowledge_alerts(turn: Turn, event: HoldCleared) -> None:
    """``continue`` with no hold open: a supervisor has seen to the alerts about something past (R39)."""
    past = (alert for alert in turn.state.alerts if not LASTING.fullmatch(alert.id))
    seen = [alert.id for alert in past if alert.code != NO_HOLD]
    if event.choice != "continue" or not seen or not is_supervisor(turn.state, event.by):
        turn.refuse(NO_HOLD, "the table does not hold")
        return
    for alert_id in seen:
        turn.clear_alert(alert_id, by=event.by)


def resolve(turn: Turn, hold: Hold, choice: str) -> tuple[Drawn, ...]:
    """What becomes of the cards that the hold was about; those that take their turn now."""
    if KINDS[hold.reason].voids:
        return resolve_cause(turn, hold, choice)
    if hold.reason == "rapid_repeat" and choice == "accept" and same_shoe(turn, hold):
        twice = read_twice(hold)
        turn.set_shoe(doubled=tuple(draw for draw in turn.shoe.doubled if draw not in twice))
        name_second(turn, hold, twice)
    if choice == "return":
        if hold.reason == "rapid_repeat":
            return count_once(turn, hold)
        for drawn in hold.cards:
            if lay_before(turn, hold, drawn):
                continue
            if drawn.draw in turn.shoe.doubled:  # nobody saw a second card, so none went back
                dismiss(turn, {drawn.draw})
            give_back(turn, drawn)
        if takes_laid_card(hold):
            return_last_laid(turn)
    elif choice == "burn":
        if hold.reason == "card_unread":
            turn.set(shoe=cross_out(turn.shoe, hold.items))
        for drawn in hold.items:
            burn(turn, drawn)
    elif choice == "next_round":
        reserve(turn, hold.items)
    elif choice == "enter" and hold.entered is not None:
        take_over(turn, hold.entered)
    elif choice == "void":
        set_aside(turn, hold.items)
    elif hold.reason == "shuffle_doubt":
        dispel(turn)
    elif hold.reason == "book_silent":
        begin_deal(turn)
    elif hold.reason == "wrong_position":
        return tuple(msgspec.structs.replace(drawn, position=None) for drawn in hold.items)
    elif hold.reason == "early_card":
        return accept_early(turn, hold.items)
    else:
        return hold.items
    return ()


def name_second(turn: Turn, hold: Hold, twice: Set[int]) -> None:
    """A second card of the same code as one that all know is known to all, too, however it will lie. One that
    waits in this hold, which has ended, nobody knows unless a message has named it."""
    waiting = {drawn.draw for drawn in hold.cards}
    for drawn in turn.shoe.drawn:
        first = before_it(turn.shoe, drawn) if drawn.draw in twice else None
        if first is None or (first.draw in waiting and first.draw not in turn.shoe.named):
            continue
        if is_known(turn.state, turn.game, turn.shoe, first.draw):
            turn.set_shoe(named=tuple(dict.fromkeys((*turn.shoe.named, drawn.draw))))


def lay_before(turn: Turn, hold: Hold, drawn: Drawn) -> bool:
    """Whether a card that waits in the hold lay on the felt when the hold began: a double read before it was
    taken away in a hold above. It stays there when what the hold is about goes back. No card of the next shoe
    did."""
    own = [card.draw for card in (*hold.items, *hold.returned)]
    return same_shoe(turn, hold) and bool(own) and drawn.draw < min(own)


def count_once(turn: Turn, hold: Hold) -> tuple[Drawn, ...]:
    """``return`` of double reads: none of them is a card. What lies behind one takes its turn anew, then what
    lies aside, then the card that the hold came with. Returns that."""
    if not same_shoe(turn, hold):
        return ()
    twice, lying = read_twice(hold), lying_twice(turn.state, hold)
    lifted = lift_from(turn, lying) if lying else ()
    dismiss(turn, twice)
    for drawn in lifted:
        place_or_wait(turn, drawn)
    if lying:
        place_aside(turn)
    return tuple(drawn for drawn in hold.items if drawn.draw not in twice)


def take_over(turn: Turn, entered: Drawn) -> None:
    """What passed unread was what the supervisor says: this card, or the cut card, of no deck."""
    if entered.card is None:
        turn.set(shoe=remove(turn.shoe, entered.draw))
        pass_cut_card(turn)
    else:
        turn.set(shoe=rename(turn.shoe, entered))
        admit(turn, entered)


def same_shoe(turn: Turn, hold: Hold) -> bool:
    """Whether the shoe that the hold is about is still in use."""
    return turn.state.shoe is not None and turn.shoe.id == hold.shoe


def resolve_cause(turn: Turn, hold: Hold, choice: str) -> tuple[Drawn, ...]:
    """A void cause that the supervisor let pass: with ``continue`` it has been put right, with ``stand`` the
    round or its result is kept. Returns the cards that take their turn now."""
    if not same_shoe(turn, hold):
        return ()
    codes = codes_of(hold)
    foreign = "foreign_card" in codes
    for drawn in hold.items if foreign else ():
        turn.set(shoe=remove(turn.shoe, drawn.draw))
    if foreign or choice == "void" or (choice == "stand" and turn.state.phase not in TAKES_CARDS):
        set_aside(turn, hold.items)
        return ()
    turn.set_shoe(noted=tuple(sorted({*turn.shoe.noted, *codes})))
    return hold.items


def bar_for(turn: Turn, hold: Hold, choice: str) -> None:
    """Whether the shoe that the hold was about deals further rounds, after the choice that ended it."""
    if not same_shoe(turn, hold):
        return
    withdraws = any(KINDS[code].withdraws for code in codes_of(hold)) and voids_at_once(turn)
    barred = KINDS[hold.reason].voids and (choice != "continue" or withdraws)
    if void_withdraws(hold) if choice == "void" else barred:
        bar_shoe(turn, hold.reason)


def codes_of(hold: Hold) -> set[str]:
    """What a hold is about."""
    return {finding.code for finding in hold.findings}


def reserve(turn: Turn, items: tuple[Drawn, ...]) -> None:
    """The extra card is the first of the next round; a second one is burned."""
    for drawn in items:
        if turn.state.reserved is None:
            turn.set(reserved=drawn)
        else:
            burn(turn, drawn)


def accept_early(turn: Turn, items: tuple[Drawn, ...]) -> tuple[Drawn, ...]:
    """The early card counts: bets, or decisions, close with it. Before a reveal it lies aside, face down,
    until a card is due. Returns the cards that take their turn now.

    A book that may be open is no matter of this card any more, but of those that come after it.
    """
    if turn.state.phase == "betting":
        close_bets(turn, "supervisor")
    elif turn.state.phase == "decision":
        close_decisions(turn, "supervisor")
    elif turn.state.phase == "reveal":
        turn.set_round(aside=(*turn.round.aside, *items))
        return ()
    if turn.round.book is not None and items:
        turn.set_round(book=msgspec.structs.replace(turn.round.book, accepted=items[-1].draw))
    return items


def go_on(turn: Turn, hold: Hold, choice: str, items: tuple[Drawn, ...]) -> None:
    """After a hold: its own cards and what came meanwhile take their turn, in the order of the draws; where
    another hold is current they wait there. Cards that came after one that goes back go back with it."""
    phantom = hold.reason == "rapid_repeat"
    waiting = hold.waiting
    if choice == "return" and not phantom:
        waiting = tuple(item for item in waiting if outlives_return(turn, hold, item))
    if not turn.state.holds and turn.state.phase == "reveal" and not awaits_reveal(turn.round, turn.game):
        go_on_revealed(turn)
    for item in in_order(items, waiting):
        drawn = item.drawn
        if drawn is not None and (turn.state.shoe is None or drawn.draw not in turn.shoe.draw_numbers()):
            continue
        if drawn is not None and hold.round is not None and turn.round.void is not None:
            set_aside(turn, (drawn,))  # a card before it has voided the round
        elif drawn is not None and phantom and drawn in items:
            admit(turn, drawn)
        elif item.opinion is not None and turn.state.voidable:
            judge_opinion(turn, item.opinion)
        elif turn.state.holds:
            wait(turn, item)
        elif drawn is not None:
            place(turn, drawn)


def outlives_return(turn: Turn, hold: Hold, item: Deferred) -> bool:
    """Whether what came in a hold stays though its cards go back: a card that lay before, and what the shoe
    says of a result that stands."""
    if item.drawn is not None:
        return lay_before(turn, hold, item.drawn)
    return turn.round.result is not None or turn.state.phase == "reveal"


def card_entered(turn: Turn, event: CardEntered) -> None:
    """Entry of a card by hand for an unread one, attributed; both values are kept."""
    items = unread(turn)
    if not items:
        turn.refuse("nothing_unread", "no card waits to be entered")
        return
    if not is_supervisor(turn.state, event.by):
        turn.refuse("key_needed", KEY)
        return
    try:
        card = parse_card(event.card)
    except CardError as error:
        turn.refuse("unknown_card", error.message)
        return
    if card not in game_of(turn.state.shoe_configuration).deck:
        turn.refuse("unknown_card", f"{card} is not a card of this game")
        return
    change_hold(turn, entered=msgspec.structs.replace(items[0], card=card, entered_by=event.by))
