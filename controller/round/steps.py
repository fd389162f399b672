"""The dealer's steps: open, close, decide, reveal, settle, burn, hold."""

from __future__ import annotations

from controller.games.game import BURN
from controller.round.bets import close_decisions
from controller.round.devices import is_needed
from controller.round.holds import hold_for
from controller.round.opening import open_round
from controller.round.places import close_bets
from controller.round.results import publish_result, settle
from controller.round.secrecy import commitment
from controller.round.turn import Turn
from controller.vocabulary.display import DecisionCounts
from controller.vocabulary.events import (
    BetsClosed,
    BetsOpened,
    CardsBurned,
    CardsRevealed,
    DecisionsClosed,
    DecisionsReported,
    HoldRequested,
    RoundSettled,
)
from controller.vocabulary.evidence import Proof
from controller.vocabulary.messages import RevealedCard, RoundRevealed

CARDS_DUE = frozenset({"dealing", "decision"})
"""Phases in which the next step waits for cards."""


def bets_opened(turn: Turn, event: BetsOpened) -> None:
    """ "Place your bets, please": the next round begins, and every earlier one stands (3.1, 5.2)."""
    if turn.state.phase in CARDS_DUE and not turn.state.holds:
        asked_too_soon(turn, "bets_opened")
    else:
        open_round(turn)


def bets_closed(turn: Turn, event: BetsClosed) -> None:
    """ "No more bets" (3.2). Between rounds, where the house deals free hands: a round without bets."""
    if refused_in_hold(turn):
        return
    if turn.state.phase == "betting":
        close_bets(turn, "button")
    elif turn.state.configuration.shoe.free_hand and not turn.state.in_round:
        if open_round(turn, free_hand=True):
            close_bets(turn, "free_hand")
    else:
        turn.refuse("bets_not_open", "bets are not open")


def decisions_closed(turn: Turn, event: DecisionsClosed) -> None:
    """The dealer ends the decisions; who has not decided is folded."""
    if refused_in_hold(turn):
        return
    if turn.state.phase == "decision":
        close_decisions(turn, "button")
    elif turn.state.phase == "dealing" and turn.game.decisions_after() is not None and not turn.round.decided:
        asked_too_soon(turn, "decisions_closed")
    else:
        turn.refuse("no_decisions", "no decisions are open")


def cards_revealed(turn: Turn, event: CardsRevealed) -> None:
    """Face-down cards are turned up: publish names and nonces, so that anybody can check the commitments."""
    if refused_in_hold(turn):
        return
    if turn.state.phase in CARDS_DUE and turn.game.has_reveal:
        asked_too_soon(turn, "cards_revealed")
    elif turn.state.phase != "reveal":
        turn.refuse("nothing_to_reveal", "no cards lie face down")
    else:
        cards = tuple(
            RevealedCard(laid.position, index, card, laid.drawn.nonce, commitment(laid.drawn))
            for index, laid in enumerate(turn.round.laid, 1)
            if laid.position != BURN
            and turn.game.face_down(laid.position)
            and (card := laid.drawn.card) is not None
        )
        turn.set_round(revealed=True)
        turn.say(RoundRevealed(round=turn.round.id, cards=cards))
        turn.step("reveal")
        publish_result(turn)


def round_settled(turn: Turn, event: RoundSettled) -> None:
    """All winning bets are paid (3.7). Refused before there is a result; with cards missing it holds."""
    if refused_in_hold(turn):
        return
    if turn.state.phase == "result":
        settle(turn)
    elif turn.state.phase in CARDS_DUE:
        asked_too_soon(turn, "round_settled")
    elif turn.state.phase == "reveal":
        turn.refuse("no_result", "the cards are not revealed yet: press REVEAL")
    else:
        turn.refuse("no_result", "there is no result to settle")


def asked_too_soon(turn: Turn, step: str) -> None:
    """The next step was asked for while cards are missing (5.1.3): hold."""
    turn.refuse("cards_missing", "cards are missing: a supervisor is needed")
    position = turn.game.next_position(turn.dealt)
    hold_for(turn, "missing_card", Proof(asked_for=step, cards=len(turn.round.laid), next=position))


def cards_burned(turn: Turn, event: CardsBurned) -> None:
    """So many next cards are burns. Not between two cards of a deal: that would choose the cards."""
    if refused_in_hold(turn):
        return
    if turn.state.shoe is None:
        turn.refuse("no_shoe", "no shoe is loaded")
    elif turn.state.phase in CARDS_DUE and turn.round.laid:
        turn.refuse("deal_running", "no card is burned in the middle of a deal: press HOLD")
    elif turn.shoe.burns_pending + event.cards > turn.shoe.left:
        turn.refuse("insufficient_cards", f"{turn.shoe.left} cards are left in the shoe")
    else:
        turn.set_shoe(burns_pending=turn.shoe.burns_pending + event.cards)


def hold_requested(turn: Turn, event: HoldRequested) -> None:
    """The dealer asks for a supervisor, or a device contradicts a card: that joins what holds already."""
    if turn.state.holds and not is_needed(turn, event.by):
        turn.refuse("held", "the table holds already")
        return
    hold_for(turn, "requested", Proof(by=event.by or "dealer"))


def decisions_reported(turn: Turn, event: DecisionsReported) -> None:
    """How many players of a hand play, fold, or were folded by the clock: for the display."""
    if not turn.state.in_round or event.hand not in turn.game.decisions():
        turn.refuse("no_decisions", "this round has no decisions on that hand")
        return
    reported = DecisionCounts(event.play, event.fold, event.auto)
    turn.set_round(decisions={**turn.round.decisions, event.hand: reported})


def refused_in_hold(turn: Turn) -> bool:
    """In a hold the dealer's steps wait for the supervisor."""
    if not turn.state.holds:
        return False
    turn.refuse("held", "the table holds: a supervisor is needed")
    return True
