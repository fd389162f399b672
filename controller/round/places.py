"""Where a card goes: it is burned, laid at the next position of the game's plan, or held (2.2, 2.6, 3.5)."""

from __future__ import annotations

from msgspec import UNSET

from controller.games.game import BURN
from controller.round.bets import ask_decisions, end_bets, reopen_bets
from controller.round.burns import burn, turn_up_burn_count
from controller.round.holds import hold_for, start_hold, wait
from controller.round.results import publish_result, settle_by_itself
from controller.round.secrecy import (
    awaits_reveal,
    commitment,
    due_position,
    lies_hidden,
    lies_unknown,
    tells_hidden,
)
from controller.round.state import Deferred, Laid
from controller.round.turn import Turn
from controller.round.voids import conduct, set_aside, twice_found
from controller.shoe.ledger import Drawn
from controller.vocabulary.evidence import Proof, blanked
from controller.vocabulary.irregularities import Irregularity
from controller.vocabulary.messages import BetsCloser, RoundCard


def place_or_wait(turn: Turn, drawn: Drawn) -> None:
    """Place a card, or let it wait where the table holds."""
    if turn.state.holds:
        wait(turn, Deferred(drawn=drawn))
    else:
        place(turn, drawn)


def place(turn: Turn, drawn: Drawn) -> None:
    """Burn, lay or hold a card, as the phase asks."""
    phase = turn.state.phase
    if drawn.card is None:  # never a burn by assumption: the cut card breaks the beam as well
        hold_for(turn, "card_unread", Proof(draw=drawn.draw, read=drawn.code or None), drawn)
    elif drawn.draw in turn.shoe.doubled and not tells_hidden(turn.state, turn.game, drawn):
        start_hold(turn, (twice_found(turn, drawn),), items=(drawn,))
    elif phase == "dealing" and turn.round.book is not None and turn.round.book.is_early(drawn.draw):
        hold_early(turn, drawn)
    elif turn.shoe.burn_count_pending:
        turn_up_burn_count(turn, drawn)
    elif turn.state.burns_due and (not turn.state.in_round or drawn.position in (None, BURN)):
        burn(turn, drawn)
    elif turn.state.burns_due:
        proof = Proof(draw=drawn.draw, card=drawn.card, position=drawn.position, expected=BURN)
        hold_for(turn, "wrong_position", proof, drawn)
    elif phase == "betting":
        place_while_betting(turn, drawn)
    elif phase == "decision" or (phase == "reveal" and turn.game.due_after_reveal(turn.dealt)):
        hold_early(turn, drawn)
    elif phase == "dealing" and lay_reserved(turn):
        place_or_wait(turn, drawn)  # that one may have opened bets, or completed the deal
    elif phase == "dealing":
        place_by_plan(turn, drawn)
    elif drawn.position == BURN and not turn.state.in_round:
        burn(turn, drawn)
    else:
        hold_for(turn, "extra_card", Proof(draw=drawn.draw, card=drawn.card, phase=phase), drawn)


def place_while_betting(turn: Turn, drawn: Drawn) -> None:
    """A card that comes while bets are open closes them where the house says so; else it is early."""
    if drawn.position == BURN and not turn.round.laid:
        burn(turn, drawn)
    elif turn.state.configuration.round.close == "first_card":
        close_bets(turn, "first_card")
        place_or_wait(turn, drawn)
    else:
        hold_early(turn, drawn)


def hold_early(turn: Turn, drawn: Drawn) -> None:
    """A card before its time: bets or decisions are still open, or cards lie face down that decide whether it
    is of the round."""
    position, phase = due_position(turn.round, turn.game), turn.state.phase
    awaited = (turn.state.configuration.round.await_book if phase == "dealing" else None) or UNSET
    proof = Proof(draw=drawn.draw, card=drawn.card, phase=phase, position=position, consumer=awaited)
    hold_for(turn, "early_card", proof, drawn)


def place_by_plan(turn: Turn, drawn: Drawn) -> None:
    """Deal order: the plan of the game says where the next card goes."""
    position = turn.game.next_position(turn.dealt)
    if position is None:
        raise ValueError("a complete deal is not in the phase dealing")
    if drawn.position is not None and drawn.position != position:
        proof = Proof(draw=drawn.draw, card=drawn.card, position=drawn.position, expected=position)
        hold_for(turn, "wrong_position", proof, drawn)
    elif [laid.drawn.card for laid in turn.round.laid].count(drawn.card) >= turn.shoe.decks:
        # A supervisor let it pass as no fault of the shoe; that it lies twice in one hand or round cannot be.
        set_aside(turn, (drawn,))
        check_supply(turn)
    else:
        lay(turn, drawn, position)


def lay(turn: Turn, drawn: Drawn, position: str) -> None:
    """The card counts: announce it (face-down cards without their name) and see how the deal goes on."""
    laid = Laid(position, drawn)
    turn.set_round(laid=(*turn.round.laid, laid))
    hidden = lies_hidden(turn.round, turn.game, laid)
    message = RoundCard(
        round=turn.round.id,
        position=position,
        card=drawn.card,
        index=len(turn.round.laid),
        draw=drawn.draw,
        shoe=turn.shoe.id,
        commitment=commitment(drawn) if hidden else UNSET,
        nonce=drawn.nonce if drawn.committed and not hidden else UNSET,
        entered_by=UNSET if drawn.entered_by is None else drawn.entered_by,
    )
    turn.say(blanked(message) if hidden else message)
    advance(turn)


def advance(turn: Turn) -> None:
    """After a card: cards are to be turned up, the deal is complete, players decide, bets open again, or the
    next card is awaited."""
    game, count = turn.game, len(turn.round.laid)
    if awaits_reveal(turn.round, game):
        turn.step("hide_last_card")
    elif game.next_position(turn.dealt) is None:
        turn.step("last_card")
        publish_result(turn)
        settle_by_itself(turn)
    elif check_supply(turn):
        return
    elif count == game.decisions_after() and not turn.round.decided:
        ask_decisions(turn)
    else:
        reopen_bets(turn)


def check_supply(turn: Turn) -> bool:
    """5.1.4: act on a shoe that is empty while a card is due, unless a supervisor let that pass; whether it
    is. A card that is out already may be the one that is due."""
    if turn.shoe.left > 0 or "insufficient_cards" in turn.shoe.noted or turn.state.next_is_out:
        return False
    doubled = [drawn for drawn in turn.shoe.drawn if drawn.draw in turn.shoe.doubled]
    if doubled and not lies_unknown(turn.state, turn.game):  # no card is missing if one of these was none
        start_hold(turn, tuple([twice_found(turn, drawn) for drawn in doubled]))
    else:
        conduct(turn, (Irregularity("insufficient_cards", Proof(needed=1, left=0)),))
    return True


def await_card(turn: Turn) -> None:
    """After each event, where a card is due or will be: the one that was kept for this round is laid once the
    deal has begun, and a shoe that is empty has none (5.1.4)."""
    if turn.state.phase not in ("betting", "dealing") or turn.state.holds or turn.state.awaits_book:
        return
    if turn.state.phase == "betting" or not lay_reserved(turn):
        check_supply(turn)


def go_on_revealed(turn: Turn) -> None:
    """Nothing waits for a reveal any more: the result, or the next card, which may lie aside already.

    A double read that nobody could be told of before is held first.
    """
    doubled = [laid.drawn for laid in turn.round.laid if laid.drawn.draw in turn.shoe.doubled]
    if doubled:
        start_hold(turn, tuple([twice_found(turn, drawn) for drawn in doubled]))
        return
    if turn.game.next_position(turn.dealt) is None:
        turn.step("reveal")
        publish_result(turn)
    else:
        turn.step("await_further_card")
        if not turn.round.aside:
            advance(turn)
    place_aside(turn)
    settle_by_itself(turn)


def place_aside(turn: Turn) -> None:
    """The cards that lie aside take their turn, until one must be turned up again."""
    kept = turn.round.aside
    turn.set_round(aside=())
    while kept and turn.state.phase != "reveal":
        place_or_wait(turn, kept[0])
        kept = kept[1:]
    turn.set_round(aside=kept)


def close_bets(turn: Turn, how: BetsCloser) -> None:
    """ "No more Bets" (3.2), and the deal goes on; with the first betting round it begins."""
    end_bets(turn, how)
    if turn.round.betting_round == 1:
        burns = turn.state.configuration.shoe.burn_each_round
        turn.set_round(burns_pending=turn.round.burns_pending + burns)


def lay_reserved(turn: Turn) -> bool:
    """The card that was kept for this round is its first; whether there was one."""
    reserved = turn.state.reserved
    if reserved is None or turn.round.laid:
        return False
    turn.set(reserved=None)
    lay(turn, reserved, turn.game.next_position([]) or BURN)
    return True
