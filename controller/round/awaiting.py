"""Bets that are kept elsewhere: no card may be drawn before that book is closed, however slow the network.

The table says ``round.bets_closed``; the consumer that keeps the bets acknowledges it, and with it that it
takes no more. Until then the shoe is locked and a card that comes is early, whether bets or burns are due.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.round.holds import behind_fault, hold_for
from controller.round.state import Hold
from controller.round.turn import Turn
from controller.vocabulary.events import BookClosed
from controller.vocabulary.evidence import Proof

ALERT = "book"
"""Id of the alert about a book that may be open; it goes when that is closed, or with the next round."""


def book_closed(turn: Turn, event: BookClosed) -> None:
    """The consumer has acknowledged. What it says of an earlier betting round, or what somebody else says, is
    no answer."""
    state = turn.state
    consumer = state.configuration.round.await_book
    book = None if state.round is None else state.round.book
    if book is None or event.consumer not in ("", consumer):
        return
    if event.acknowledged is None or event.acknowledged >= book.sequence:
        turn.set_round(book=replace(book, acknowledged=True))
        turn.clear_alert(ALERT)
        begin_deal(turn)


def begin_deal(turn: Turn) -> None:
    """Cards may be drawn: the book is closed, or a supervisor says so. What was drawn before stays early."""
    book = turn.round.book
    if book is not None and book.closed_at is None:
        behind = behind_fault(turn.state)  # they came before that, too
        turn.set_round(book=replace(book, closed_at=turn.shoe.draws + behind))


def book_silent(turn: Turn) -> None:
    """Nobody knows whether bets are still taken: hold, and say so until it is known."""
    consumer = turn.state.configuration.round.await_book or ""
    turn.raise_alert(ALERT, "book_silent", f"{consumer} has not said that it takes no more bets")
    hold_for(turn, "book_silent", Proof(consumer=consumer))


def answered(turn: Turn) -> Hold | None:
    """The current hold where it is about a silent book alone, and that is closed now."""
    hold = turn.state.hold
    if hold is None or turn.state.awaits_book:
        return None
    return hold if {finding.code for finding in hold.findings} == {"book_silent"} else None
