"""What the table knows of the cards that are still to come: the shoe minus the cards that all have seen.

Burn cards and whatever lies, or lay, face down count as unseen, though the shoe has read them: no figure that
leaves the table may depend on them. What some message has named stays known, however it lies afterwards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from controller.games.game import Game
from controller.round.secrecy import face_down
from controller.round.state import Round, State
from controller.shoe.ledger import Drawn, Shoe
from controller.vocabulary.cards import Card

_DOUBTFUL = frozenset(
    {"foreign_card", "excess", "shortage", "duplicate_serial", "wrong_count", "not_shuffled", "fault"}
)
"""After these nobody knows what is in the shoe, also where a supervisor lets the round go on."""


def trusted(state: State) -> bool:
    """Whether the next card comes by chance from what is unseen.

    Not while the table holds, nor where a card went back into the shoe or is kept for the next round, nor
    after a finding about the whole shoe.
    """
    shoe = state.shoe
    return not (
        shoe is None or state.holds or shoe.expected or state.reserved is not None or is_doubtful(shoe)
    )


def is_doubtful(shoe: Shoe) -> bool:
    """Whether a finding, or its shuffler, has put in doubt what the shoe holds."""
    found = shoe.unusable in _DOUBTFUL or not _DOUBTFUL.isdisjoint(shoe.noted)
    return found or shoe.rested is not None


def lie_unknown(state: State, game: Game, round_: Round) -> tuple[bool, ...]:
    """Of each card of the round, whether it lies face down and no message has named it, in deal order."""
    told = () if state.shoe is None or state.shoe.id != round_.shoe_id else state.shoe.named
    lying = zip(round_.laid, face_down(round_, game), strict=True)
    return tuple([is_hidden and laid.drawn.draw not in told for laid, is_hidden in lying])


def unseen_cards(state: State, game: Game, shoe: Shoe) -> dict[Card, int]:
    """How many of each card of the game's deck nobody has seen yet."""
    return _minus_seen(game, shoe, _hidden(state, game, shoe))


def unseen_before_round(state: State, game: Game, shoe: Shoe) -> dict[Card, int]:
    """The same when the running round was opened; between rounds, now.

    It stays as it is while a round runs, so it tells nothing of the cards that lie.
    """
    hidden = _hidden(state, game, shoe)
    round_ = state.round
    if round_ is not None and state.in_round and round_.shoe_id == shoe.id:
        hidden |= {laid.drawn.draw for laid in round_.laid}
        hidden |= {drawn.draw for drawn in (*round_.extras, *round_.aside)}
    hidden |= {drawn.draw for hold in state.holds for drawn in hold.cards}
    if state.reserved is not None:
        hidden |= {state.reserved.draw}
    return _minus_seen(game, shoe, hidden)


def is_known(state: State, game: Game, shoe: Shoe, draw: int) -> bool:
    """Whether all know the card of a draw that is out: a message named it, or it lies open."""
    waiting = {drawn.draw for drawn in state.loose} - {*shoe.named}
    return draw not in _hidden(state, game, shoe) | waiting


def never_named(state: State, game: Game) -> tuple[int, ...]:
    """The draws of the round, now void, that nobody was told: face down, or named in no evidence."""
    shoe, round_ = state.shoe, state.round
    if shoe is None or round_ is None or round_.shoe_id != shoe.id:
        return ()
    lying = zip(round_.laid, face_down(round_, game), strict=True)
    hidden = [laid.drawn.draw for laid, is_hidden in lying if is_hidden]
    return (*hidden, *untold(shoe, round_.extras))


def untold(shoe: Shoe, cards: Iterable[Drawn]) -> tuple[int, ...]:
    """Of cards that no round laid, the draws that neither evidence nor a burn has named."""
    told = {*shoe.burned, *shoe.opened, *shoe.named}
    return tuple(drawn.draw for drawn in cards if drawn.draw not in told)


def _hidden(state: State, game: Game, shoe: Shoe) -> set[int]:
    hidden = {*shoe.burned, *shoe.unrevealed}
    round_ = state.round
    if round_ is not None and round_.shoe_id == shoe.id:
        lying = zip(round_.laid, face_down(round_, game), strict=True)
        hidden |= {laid.drawn.draw for laid, is_hidden in lying if is_hidden}
        hidden |= {drawn.draw for drawn in round_.aside}
    return hidden - {*shoe.named}


def _minus_seen(game: Game, shoe: Shoe, hidden: set[int]) -> dict[Card, int]:
    """The full shoe without the cards that were drawn and are not hidden; never below zero of one."""
    seen = Counter([drawn.card for drawn in shoe.drawn if drawn.draw not in hidden])
    return {card: max(0, shoe.decks - seen[card]) for card in game.deck}
