"""Burns: what leaves the shoe and counts nowhere, who owes it, and what is told of it.

``State.burns_due`` says how many are due. What a round owes ends with the round; what the shoe owes stays.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from controller.round.holds import keep_evidence
from controller.round.turn import Turn
from controller.shoe.ledger import Drawn
from controller.vocabulary.cards import Card, order
from controller.vocabulary.messages import ShoeBurned


def deal_begun(turn: Turn) -> bool:
    """Whether cards of the running round lie, or went back and come out again as its cards."""
    return turn.state.in_round and bool(turn.round.laid or turn.shoe.expected)


def burn(turn: Turn, drawn: Drawn) -> None:
    """A burn card, of those that are due if any is: it leaves the shoe face down and counts nowhere."""
    if turn.shoe.burns_pending:
        turn.set_shoe(burns_pending=turn.shoe.burns_pending - 1)
    elif turn.state.in_round and turn.round.burns_pending:
        turn.set_round(burns_pending=turn.round.burns_pending - 1)
    take_away(turn, drawn)


def take_away(turn: Turn, drawn: Drawn) -> None:
    """A card that counts nowhere is told as burned, and pays no burn that is due. One that was published as a
    commitment is opened: it cannot come into play any more."""
    opened = drawn.committed and drawn.card is not None
    if opened:
        turn.set_shoe(opened=(*turn.shoe.opened, drawn.draw))
    else:
        turn.set_shoe(burned=(*turn.shoe.burned, drawn.draw))
    if turn.state.in_round:
        turn.set_round(extras=(*turn.round.extras, drawn))
    turn.say(
        ShoeBurned(
            shoe=turn.shoe.id,
            draw=drawn.draw,
            card=drawn.card if opened else None,
            cards=1,
            pending=turn.state.burns_due,
            nonce=drawn.nonce if opened else UNSET,
        )
    )


def turn_up_burn_count(turn: Turn, drawn: Drawn) -> None:
    """The first card after the shuffle is turned up, and that many are burned (pictures and tens: ten)."""
    cards = min(order(Card(drawn.card or "")), 10)
    turn.set_shoe(burn_count_pending=False, burns_pending=turn.shoe.burns_pending + cards)
    turn.say(
        ShoeBurned(
            shoe=turn.shoe.id,
            draw=drawn.draw,
            card=drawn.card,
            cards=1,
            pending=cards,
            nonce=drawn.nonce if drawn.committed else UNSET,
        )
    )


def take_away_reserved(turn: Turn) -> None:
    """The card that is kept for the next round has none to wait for: it is burned, and so told."""
    reserved = turn.state.reserved
    if reserved is not None:
        turn.set(reserved=None)
        take_away(turn, msgspec.structs.replace(reserved, committed=True))


def take_away_loose(turn: Turn) -> None:
    """The shoe goes, and with it every card that waits in a hold, or for the next round. Nothing goes without
    a word: what was published as a commitment is opened; of cards that went back, in what is held."""
    loose = [drawn for drawn in turn.state.loose if drawn.committed]
    turn.set(reserved=None)
    for drawn in loose:
        take_away(turn, drawn)
    if turn.state.shoe is not None:
        back = [drawn.draw for drawn in turn.shoe.expected if drawn.card is not None]
        turn.set_shoe(opened=(*turn.shoe.opened, *back))
        state, shoe = turn.state, turn.shoe.id
        turn.set(holds=tuple([keep_evidence(state, turn.game, hold, shoe) for hold in state.holds]))
