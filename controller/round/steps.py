"""The dealer's steps: open, close, decide, reveal, settle, burn, hold."""

from __future__ import annotations

from controller.games.game import Game
from controller.round.bets import close_decisions
from controller.round.burns import deal_begun
from controller.round.devices import is_needed
from controller.round.holds import hold_for
from controller.round.opening import open_next, open_round, too_few_cards
from controller.round.places import close_bets, go_on_revealed
from controller.round.results import settle
from controller.round.secrecy import (
    awaits_reveal,
    commitment,
    due_position,
    is_turned_up,
    lies_hidden,
    to_reveal,
)
from controller.round.state import Laid
from controller.round.turn import DEALER, WHY_REFUSED, Turn, game_of
from controller.vocabulary.display import DecisionCounts
from controller.vocabulary.effects import Refuse
from controller.vocabulary.events import (
    BetsClosed,
    BetsOpened,
    CardsBurned,
    CardsRevealed,
    DecisionsClosed,
    DecisionsReported,
    HoldRequested,
    KeyRefused,
    RoundSettled,
    SeatsTaken,
)
from controller.vocabulary.evidence import Proof
from controller.vocabulary.messages import RoundRevealed
from controller.vocabulary.parts import RevealedCard

CARDS_DUE = frozenset({"dealing", "decision"})
"""Phases in which the next step waits for cards."""


def bets_opened(turn: Turn, event: BetsOpened) -> None:
    """ "Place your bets, please": the next round begins, and every earlier one stands (3.1, 5.2)."""
    if turn.state.phase in CARDS_DUE and not turn.state.holds:
        asked_too_soon(turn, "bets_opened")
    else:
        open_next(turn)


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


def key_refused(turn: Turn, event: KeyRefused) -> None:
    """A key of the panel that may not act: whoever looks at a screen sees why nothing happens."""
    turn.refuse(event.code, WHY_REFUSED[event.code])


def seats_taken(turn: Turn, event: SeatsTaken) -> None:
    """Who plays, of the seats of the table: the others get no cards. Until bets close, and between rounds for
    the next one (readings, Two Cards High)."""
    if refused_in_hold(turn):
        return
    state, seats = turn.state, tuple(sorted(event.seats))
    betting = state.phase == "betting"
    game = game_of(state.configuration if betting else state.newest)
    if not game.seat_numbers:
        turn.refuse("no_seats", f"{game.name} has no seats")
    elif state.in_round and not betting:
        turn.refuse("seats_late", "bets are closed: the seats stand until the round is settled")
    elif not game.has_seats(seats):
        turn.refuse("bad_seats", "say which seats play: at least one of this table's, each once")
    elif betting and (found := too_few_cards_for(turn, game.with_seats(seats))):
        turn.refuse(found.code, found.why)
    else:
        turn.set(seats=seats)
        if betting:
            turn.set_round(seats=seats)


def too_few_cards_for(turn: Turn, game: Game) -> Refuse | None:
    """Whether the round that takes bets, opened for fewer seats, could not be dealt to these."""
    return too_few_cards(turn.state, turn.shoe.left, turn.state.configuration.shoe.burn_each_round, game)


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
    """Face-down cards are turned up, of one hand or all: publish names and nonces, so that anybody can check
    the commitments. The round goes on when nothing lies face down any more."""
    if refused_in_hold(turn):
        return
    cards = to_turn_up(turn, event.hand) if turn.state.phase == "reveal" else ()
    if cards_are_missing(turn) and is_reveal_due(turn, event.hand):
        asked_too_soon(turn, "cards_revealed")
    elif not cards:
        turn.refuse("nothing_to_reveal", "no such cards lie face down")
    else:
        up = [laid.drawn.draw for laid in turn.round.laid if is_turned_up(turn.round.revealed, laid)]
        turn.set_round(revealed=(*up, *(laid.drawn.draw for _, laid in cards)))
        turn.say(
            RoundRevealed(round=turn.round.id, cards=tuple(revealed(index, laid) for index, laid in cards))
        )
        if not awaits_reveal(turn.round, turn.game):
            go_on_revealed(turn)


def to_turn_up(turn: Turn, hand: str | None) -> list[tuple[int, Laid]]:
    """The cards of a hand, or of all, that lie face down, each with its place in the deal."""
    hidden = to_reveal(turn.round, turn.game)
    return [
        (index, laid)
        for index, laid in enumerate(turn.round.laid, 1)
        if laid in hidden and hand in (None, laid.position)
    ]


def is_reveal_due(turn: Turn, hand: str | None) -> bool:
    """While cards are due: whether the hand, or any, is still to be turned up in this round."""
    game, round_ = turn.game, turn.round
    if hand is None or hand == due_position(round_, game):
        return game.has_reveal
    lying = [laid for laid in round_.laid if laid.position == hand]
    to_come = not lying or any(lies_hidden(round_, game, laid) for laid in lying)
    return to_come and hand in game.places() and game.face_down(hand)


def revealed(index: int, laid: Laid) -> RevealedCard:
    """A card as it is turned up; one without a name never lies in a round."""
    drawn = laid.drawn
    return RevealedCard(laid.position, index, drawn.card or "", drawn.nonce, commitment(drawn))


def round_settled(turn: Turn, event: RoundSettled) -> None:
    """All winning bets are paid (3.7). Refused before there is a result; with cards missing it holds."""
    if refused_in_hold(turn):
        return
    if turn.state.phase == "result":
        settle(turn)
    elif cards_are_missing(turn):
        asked_too_soon(turn, "round_settled")
    elif turn.state.phase == "reveal":
        turn.refuse("no_result", "cards still lie face down: press REVEAL")
    else:
        turn.refuse("no_result", "there is no result to settle")


def cards_are_missing(turn: Turn) -> bool:
    """Whether a deal is not complete; also while bets are open between two of its cards."""
    return turn.state.phase in CARDS_DUE or (turn.state.phase == "betting" and bool(turn.round.laid))


def asked_too_soon(turn: Turn, step: str) -> None:
    """The next step was asked for while cards are missing (5.1.3): hold."""
    turn.refuse("cards_missing", "cards are missing: a supervisor is needed")
    position = due_position(turn.round, turn.game)
    hold_for(turn, "missing_card", Proof(asked_for=step, cards=len(turn.round.laid), next=position))


def cards_burned(turn: Turn, event: CardsBurned) -> None:
    """So many next cards are burns.

    Not from the first card of a deal until the round is settled, whatever the phase: that would choose cards.
    """
    if refused_in_hold(turn):
        return
    if turn.state.shoe is None:
        turn.refuse("no_shoe", "no shoe is loaded")
    elif deal_begun(turn):
        turn.refuse("deal_running", "no card is burned in the middle of a deal: press HOLD")
    elif turn.state.burns_due + event.cards > turn.shoe.left:
        turn.refuse("insufficient_cards", f"too few cards for so many burns: the shoe has {turn.shoe.left}")
    elif turn.state.in_round:
        turn.set_round(burns_pending=turn.round.burns_pending + event.cards)
    else:
        turn.set_shoe(burns_pending=turn.shoe.burns_pending + event.cards)


def hold_requested(turn: Turn, event: HoldRequested) -> None:
    """The dealer asks for a supervisor, or a device contradicts a card: that joins what holds already."""
    if turn.state.holds and not is_needed(turn, event.by):
        turn.refuse("held", "the table holds already")
        return
    hold_for(turn, "requested", Proof(by=event.by or DEALER))


def decisions_reported(turn: Turn, event: DecisionsReported) -> None:
    """How many players of a hand play, fold, or were folded by the clock: for the display, once they are
    asked."""
    asked = turn.state.phase == "decision" or (turn.state.in_round and turn.round.decided)
    if not asked or event.hand not in turn.game.decisions():
        turn.refuse("no_decisions", "this round has no decisions on that hand, or not yet")
        return
    reported = DecisionCounts(event.play, event.fold, event.auto)
    turn.set_round(decisions={**turn.round.decisions, event.hand: reported})


def refused_in_hold(turn: Turn) -> bool:
    """In a hold the dealer's steps wait for the supervisor."""
    if not turn.state.holds:
        return False
    turn.refuse("held", "the table holds: a supervisor is needed")
    return True
