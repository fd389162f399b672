"""What a supervisor decides in a hold: one of its choices, and a card entered by hand."""

from __future__ import annotations

import re

import msgspec

from controller.round.arrival import admit
from controller.round.bets import close_decisions
from controller.round.holds import change_hold, end_hold, say_held, wait
from controller.round.places import burn, close_bets, go_on_revealed, place, place_or_wait
from controller.round.reconstruct import give_back, return_last_laid, why_not_laid
from controller.round.results import compare_opinion, settle_by_itself
from controller.round.secrecy import awaits_reveal
from controller.round.shoe_end import bar_shoe, pass_cut_card, unread
from controller.round.state import Deferred, Hold
from controller.round.turn import KEY, Turn, is_supervisor
from controller.round.voids import all_findings, confirmed, void_round, voids_at_once
from controller.shoe.ledger import Drawn, remove, rename
from controller.vocabulary.cards import parse_card
from controller.vocabulary.errors import CardError
from controller.vocabulary.events import CardEntered, HoldCleared
from controller.vocabulary.irregularities import KINDS

KEY_ONLY = frozenset({"void", "enter", "return"})
"""Choices that no setting gives to a dealer."""

TAKES_CARDS = frozenset({"betting", "dealing", "decision"})
"""Phases in which a card may still count."""

LASTING = re.compile("shoe|opening|condition-.*|device-.*")
"""Alerts whose cause lasts: they go with it, not because somebody has seen them."""


def hold_cleared(turn: Turn, event: HoldCleared) -> None:
    """The one way out of a hold: a choice, and who chose. Without a hold: the alerts have been seen to."""
    hold = turn.state.hold
    if hold is None:
        acknowledge_alerts(turn, event)
        return
    choices = KINDS[hold.reason].choices
    if event.choice not in choices:
        turn.refuse("unknown_choice", f"a hold for {hold.reason} knows {', '.join(choices)}")
    elif not may_choose(turn, event):
        turn.refuse("key_needed", KEY)
    elif event.choice == "enter" and hold.entered is None:
        turn.refuse("not_yet", "enter the card first, or CUT where it was the cut card")
    elif event.choice == "return" and takes_laid_card(hold) and (why := why_not_laid(turn)) is not None:
        turn.refuse("nothing_to_return", why)
    elif event.choice == "void" and hold.round is not None and turn.state.voidable:
        reason = KINDS[hold.reason].void_reason
        if confirmed(turn, event.by, reason):
            void_round(turn, reason, all_findings(turn), by=event.by, note=event.note)
    else:
        end_hold(turn, event.choice, event.by, event.note)
        beneath = len(turn.state.holds)
        resolve(turn, hold, event.choice)
        if 0 < len(turn.state.holds) <= beneath:  # a hold that has just begun has spoken
            say_held(turn)
        go_on(turn, hold.waiting if keeps_waiting(hold, event.choice) else ())


def may_choose(turn: Turn, event: HoldCleared) -> bool:
    """A supervisor may choose anything, a dealer what the house lets him, never void, enter or return."""
    if is_supervisor(turn.state, event.by):
        return True
    return event.choice not in KEY_ONLY and event.choice in turn.state.configuration.round.dealer_choices


def acknowledge_alerts(turn: Turn, event: HoldCleared) -> None:
    """``continue`` with no hold open: a supervisor has seen to the alerts about something past (R39)."""
    seen = [alert.id for alert in turn.state.alerts if not LASTING.fullmatch(alert.id)]
    if event.choice != "continue" or not seen or not is_supervisor(turn.state, event.by):
        turn.refuse("no_hold", "the table does not hold")
        return
    for alert_id in seen:
        turn.clear_alert(alert_id, by=event.by)


def keeps_waiting(hold: Hold, choice: str) -> bool:
    """Whether what came in the hold takes its turn afterwards: not where the cards went back or the shoe is
    out."""
    return choice != "return" and not (hold.reason == "fault" and choice == "void")


def resolve(turn: Turn, hold: Hold, choice: str) -> None:
    """What becomes of the cards that the hold was about, and of the shoe."""
    if KINDS[hold.reason].voids:
        resolve_cause(turn, hold, choice)
    elif hold.reason == "fault":
        if choice == "void" and same_shoe(turn, hold):
            bar_shoe(turn, "fault")
    elif choice == "return":
        for drawn in hold.cards:
            give_back(turn, drawn)
        if takes_laid_card(hold):
            return_last_laid(turn)
    elif choice == "burn":
        for drawn in hold.items:
            burn(turn, drawn)
    elif choice == "next_round":
        reserve(turn, hold.items)
    elif choice == "enter" and hold.entered is not None:
        take_over(turn, hold.entered)
    elif choice == "accept" and hold.reason == "early_card":
        accept_early(turn, hold.items)
    elif choice == "void":
        set_aside(turn, hold.items)
    else:
        for drawn in hold.items:
            by_plan = msgspec.structs.replace(drawn, position=None)
            place_or_wait(turn, by_plan if hold.reason == "wrong_position" else drawn)


def take_over(turn: Turn, entered: Drawn) -> None:
    """What passed unread was what the supervisor says: this card, or the cut card, of no deck."""
    if entered.card is None:
        turn.set(shoe=remove(turn.shoe, entered.draw))
        pass_cut_card(turn)
    else:
        turn.set(shoe=rename(turn.shoe, entered))
        admit(turn, entered)


def takes_laid_card(hold: Hold) -> bool:
    """``return`` of a hold that is about no card of its own takes the last one that lies, unless one went
    back."""
    return hold.reason in ("result_disagrees", "rapid_repeat") and not hold.returned and not hold.cards


def same_shoe(turn: Turn, hold: Hold) -> bool:
    """Whether the shoe that the hold is about is still in use."""
    return turn.state.shoe is not None and turn.shoe.id == hold.shoe


def resolve_cause(turn: Turn, hold: Hold, choice: str) -> None:
    """A void cause that the supervisor let pass: with ``continue`` it has been put right, with ``stand`` the
    round or its result is kept."""
    if not same_shoe(turn, hold):
        return
    codes = {finding.code for finding in hold.findings}
    if "foreign_card" in codes:
        for drawn in hold.items:
            turn.set(shoe=remove(turn.shoe, drawn.draw))
        set_aside(turn, hold.items)
    elif choice == "void" or (choice == "stand" and turn.state.phase not in TAKES_CARDS):
        set_aside(turn, hold.items)
    else:
        turn.set_shoe(noted=tuple(sorted({*turn.shoe.noted, *codes})))
        for drawn in hold.items:
            place_or_wait(turn, drawn)
    withdraws = any(KINDS[code].withdraws for code in codes)
    if choice != "continue" or (voids_at_once(turn) and withdraws):
        bar_shoe(turn, hold.reason)


def set_aside(turn: Turn, items: tuple[Drawn, ...]) -> None:
    """Cards that count nowhere."""
    if turn.state.voidable and items:
        turn.set_round(extras=(*turn.round.extras, *items))


def reserve(turn: Turn, items: tuple[Drawn, ...]) -> None:
    """The extra card is the first of the next round; a second one is burned."""
    for drawn in items:
        if turn.state.reserved is None:
            turn.set(reserved=drawn)
        else:
            burn(turn, drawn)


def accept_early(turn: Turn, items: tuple[Drawn, ...]) -> None:
    """The early card counts: bets, or decisions, close with it. Before a reveal it lies aside, face down,
    until a card is due."""
    if turn.state.phase == "betting":
        close_bets(turn, "supervisor")
    elif turn.state.phase == "decision":
        close_decisions(turn, "supervisor")
    elif turn.state.phase == "reveal":
        turn.set_round(aside=(*turn.round.aside, *items))
        return
    for drawn in items:
        place_or_wait(turn, drawn)


def go_on(turn: Turn, waiting: tuple[Deferred, ...]) -> None:
    """After a hold: what came meanwhile takes its turn, in order; where another hold is current it waits
    there."""
    for item in waiting:
        drawn = item.drawn
        if turn.state.holds:
            wait(turn, item)
        elif item.opinion is not None and turn.state.voidable:
            turn.set_round(opinion=item.opinion)
            compare_opinion(turn)
        elif drawn is not None and turn.state.shoe is not None and drawn.draw in turn.shoe.draw_numbers():
            place(turn, drawn)
    if turn.state.phase == "reveal" and not (turn.state.holds or awaits_reveal(turn.round, turn.game)):
        go_on_revealed(turn)
    settle_by_itself(turn)


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
    if card not in turn.game.deck:
        turn.refuse("unknown_card", f"{card} is not a card of this game")
        return
    change_hold(turn, entered=msgspec.structs.replace(items[0], card=card, entered_by=event.by))
