"""Betting rounds and decisions: how each begins and how it ends.

Whatever ends a betting round says so first and takes back what was offered, before anything else is told: the
card that closed it, the hold, the result, the void.
"""

from __future__ import annotations

from msgspec import UNSET

from controller.round.prices import live_odds, publish_odds, withdraw_offer
from controller.round.state import Book
from controller.round.terms import live_spots
from controller.round.turn import Turn
from controller.vocabulary.messages import (
    BetsCloser,
    DecisionsCloser,
    RoundBetsClosed,
    RoundBetsOpened,
    RoundDecisionsClosed,
    RoundDecisionsOpened,
    Undecided,
)


def reopen_bets(turn: Turn) -> None:
    """A further betting round, where one is due after so many cards.

    A free hand has none; one that is over does not come again with a card that went back; and it is passed
    over where the next card was seen already, in the shoe or out of it, or where the cards that lie leave no
    bet to be offered.
    """
    breaks = list(turn.game.betting_breaks())
    count = len(turn.round.laid)
    if count not in breaks or turn.round.free_hand:
        return
    number = breaks.index(count) + 2
    if turn.round.betting_round >= number:
        return
    if turn.shoe.expected or turn.state.next_is_out or offers_nothing(turn):
        turn.set_round(betting_round=number)
        return
    turn.step("reopen_bets")
    turn.set_round(betting_round=number - 1)
    turn.set(light="green")
    live = live_spots(turn.state.configuration)
    spots = UNSET if len(live) == len(turn.game.spots()) else live
    turn.say(RoundBetsOpened(round=turn.round.id, betting_round=number, spots=spots))
    publish_odds(turn)


def offers_nothing(turn: Turn) -> bool:
    """Whether live prices are counted and none can be offered: each of these bets is decided, or as good as
    that."""
    odds = live_odds(turn)
    return odds.suspended is False and isinstance(odds.offered, dict) and not any(odds.offered.values())


def end_bets(turn: Turn, how: BetsCloser) -> None:
    """ "No more Bets" (3.2): by button, clock, first card, a supervisor or a void."""
    turn.step("close_bets")
    betting_round = turn.round.betting_round + 1
    turn.set_round(betting_round=betting_round)
    turn.set(light="red")
    turn.say(
        RoundBetsClosed(
            round=turn.round.id,
            by=how,
            betting_round=betting_round,
            seats=turn.game.seat_numbers or UNSET,
        )
    )
    if turn.state.configuration.round.await_book is not None:
        turn.set_round(book=Book(turn.state.said))
    withdraw_offer(turn)


def ask_decisions(turn: Turn) -> None:
    """Players play or fold, and see how their hands stand."""
    turn.step("ask_decisions")
    seconds = turn.state.configuration.round.decision_s
    made = turn.game.combinations(turn.dealt)
    turn.say(RoundDecisionsOpened(round=turn.round.id, decision_s=seconds, combinations=made))
    publish_odds(turn)


def close_decisions(turn: Turn, how: DecisionsCloser, undecided: Undecided = "fold") -> None:
    """No decision when the clock runs out: folded (AUTO FOLDED); the settlement system counts who.

    ``asked_again``: a card that they were made on goes back, so nobody is folded and all decide anew.
    """
    turn.step("close_decisions")
    turn.set_round(decided=undecided == "fold")
    turn.say(RoundDecisionsClosed(round=turn.round.id, by=how, undecided=undecided))
