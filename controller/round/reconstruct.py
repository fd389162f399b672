"""Reconstruction: people put cards back in their original order, the last drawn first (definition, 5.1.3).

Only the card that was drawn last can go back: of equal copies the latest. What went back is the next out.
"""

from __future__ import annotations

from collections.abc import Set

import msgspec

from controller.round.bets import close_decisions
from controller.round.choices import read_twice, why_not_laid
from controller.round.holds import change_hold, say_held
from controller.round.places import close_bets
from controller.round.results import forget_result
from controller.round.secrecy import is_turned_up, lies_hidden
from controller.round.state import Hold
from controller.round.turn import KEY, Turn, is_supervisor
from controller.round.voids import is_unread
from controller.shoe.ledger import Drawn, cross_out, take_back
from controller.vocabulary.display import LastResult
from controller.vocabulary.events import CardReturned

LAST_FIRST = "the card that was drawn last goes back first"


def card_returned(turn: Turn, event: CardReturned) -> None:
    """A card goes back into the shoe: one that waits in a hold, one kept for the next round, or one that
    counts."""
    if not is_supervisor(turn.state, event.by):
        turn.refuse("key_needed", KEY)
        return
    if any(hold.events for hold in turn.state.holds):
        turn.refuse("held", "cards wait behind a fault: continue or void first")
        return
    take_doubled(turn, event.card)
    loose = turn.state.loose
    if loose:
        if loose[-1].card == event.card:
            return_loose(turn, loose[-1])
        else:
            turn.refuse("last_first", LAST_FIRST)
        return
    why = why_not_laid(turn.state)
    if why is not None:
        turn.refuse("nothing_to_return", why)
    elif turn.round.laid[-1].drawn.card != event.card:
        turn.refuse("last_first", LAST_FIRST)
    else:
        return_last_laid(turn)


def take_doubled(turn: Turn, card: str) -> None:
    """Two of a card wait, or lie last, and nobody could be told that the second was perhaps the first, read
    twice: what goes back is one card, and the second was none."""
    while (twice := last_doubled(turn, card)) is not None:
        if not turn.state.loose:
            lift_from(turn, {twice})
        dismiss(turn, {twice})


def last_doubled(turn: Turn, card: str) -> int | None:
    """The draw of the last card that waits, or else lies, where it may be the same one before it, read twice,
    and nobody was told so."""
    loose, laid = turn.state.loose, [laid.drawn for laid in turn.round.laid] if turn.state.voidable else []
    pair = (loose or laid)[-2:]
    told = {draw for hold in turn.state.holds for draw in read_twice(hold)}
    if [drawn.card for drawn in pair] != [card, card] or pair[1].draw not in {*turn.shoe.doubled} - told:
        return None
    return pair[1].draw if loose or why_not_laid(turn.state) is None else None


def return_loose(turn: Turn, drawn: Drawn) -> None:
    """A card that was not placed goes back and leaves the hold that it waited in."""
    take_out(turn, drawn, drawn)
    give_back(turn, drawn)
    if turn.state.holds:
        say_held(turn)


def take_out(turn: Turn, drawn: Drawn, *back: Drawn) -> None:
    """A card that was not placed waits nowhere any more; its hold remembers what goes ``back``."""
    if turn.state.reserved is not None and turn.state.reserved.draw == drawn.draw:
        turn.set(reserved=None)
    if turn.state.round is not None:
        turn.set_round(aside=tuple(card for card in turn.round.aside if card.draw != drawn.draw))
    turn.set(holds=tuple(without(hold, drawn, *back) for hold in turn.state.holds))


def without(hold: Hold, drawn: Drawn, *back: Drawn) -> Hold:
    """The hold without one of its cards."""
    if all(card.draw != drawn.draw for card in hold.cards):
        return hold
    return msgspec.structs.replace(
        hold,
        items=tuple(item for item in hold.items if item.draw != drawn.draw),
        waiting=tuple(item for item in hold.waiting if item.drawn is None or item.drawn.draw != drawn.draw),
        returned=(*hold.returned, *back),
    )


def give_back(turn: Turn, drawn: Drawn) -> None:
    """Into the shoe with it: it must come out again, verified as it is drawn.

    Bets, or decisions, that are open close with it: nobody stakes on a card that was seen.
    """
    if turn.state.shoe is not None and drawn.draw in turn.shoe.draw_numbers():
        if is_unread(turn, drawn):  # it was the card that was due, if one was, and is the only one of the two
            turn.set(shoe=cross_out(turn.shoe, (drawn,)))
        turn.set(shoe=take_back(turn.shoe, drawn.draw), last_code=None)
        if turn.state.phase == "betting":
            close_bets(turn, "supervisor")
        elif turn.state.phase == "decision":
            close_decisions(turn, "supervisor")


def dismiss(turn: Turn, twice: Set[int]) -> None:
    """Draws that were cards read twice are no cards: none of them is out, waits, or must come again."""
    for drawn in turn.state.loose:
        if drawn.draw in twice:
            take_out(turn, drawn)
    shoe = turn.shoe
    turn.set_shoe(
        drawn=tuple(drawn for drawn in shoe.drawn if drawn.draw not in twice),
        expected=tuple(drawn for drawn in shoe.expected if drawn.draw not in twice),
        doubled=tuple(draw for draw in shoe.doubled if draw not in twice),
    )
    turn.set(last_code=None)


def lift_from(turn: Turn, phantoms: Set[int]) -> tuple[Drawn, ...]:
    """Cards that were read twice and lie, each as a card of its own: they count nowhere. Returns those behind
    them, which take their turn anew; what was turned up stays so. No card goes back into the shoe."""
    end_offers(turn)
    round_ = turn.round
    first = next(at for at, laid in enumerate(round_.laid) if laid.drawn.draw in phantoms)
    up = tuple(laid.drawn.draw for laid in round_.laid if is_turned_up(round_.revealed, laid))
    turn.step("return_card")
    turn.set_round(laid=round_.laid[:first], revealed=up, result=None, opinion=None)
    return tuple(laid.drawn for laid in round_.laid[first:] if laid.drawn.draw not in phantoms)


def end_offers(turn: Turn) -> None:
    """Before a card that counts is taken up, open bets close, and decisions, which are asked again."""
    if turn.state.phase == "betting":
        close_bets(turn, "supervisor")
    elif turn.state.phase == "decision":
        close_decisions(turn, "supervisor", "asked_again")


def return_last_laid(turn: Turn) -> None:
    """The last card that counts goes back: a result that counted it is withdrawn, and the deal is open again.

    Only where ``why_not_laid`` has no objection.
    """
    end_offers(turn)
    round_ = turn.round
    last, told = round_.laid[-1].drawn, not lies_hidden(round_, turn.game, round_.laid[-1])
    withdrawn = round_.result.id if round_.result is not None else round_.withdrawn
    up = tuple(laid.drawn.draw for laid in round_.laid[:-1] if is_turned_up(round_.revealed, laid))
    turn.step("return_card")
    turn.set_round(laid=round_.laid[:-1], revealed=up, result=None, withdrawn=withdrawn, opinion=None)
    if len(turn.round.laid) < (turn.game.decisions_after() or 0) and not turn.shoe.expected:
        # Where later cards were seen, too, what was decided stands: nobody plays on a card that was seen.
        turn.set_round(decided=False, decisions={})
    forget_result(turn)
    published = turn.state.last
    if isinstance(published, LastResult) and published.id == withdrawn:
        turn.set(last=msgspec.structs.replace(published, withdrawn=True))
    turn.set(light="red")
    if told:
        turn.set_shoe(named=tuple(dict.fromkeys((*turn.shoe.named, last.draw))))
    give_back(turn, last)
    hold = turn.state.hold
    if hold is not None:
        change_hold(turn, returned=(*hold.returned, last))
