"""What may be published of a card: one that lies face down is named nowhere before its reveal (R25)."""

from __future__ import annotations

import hashlib
from typing import TypeVar

from msgspec import UnsetType

from controller.games.game import BURN, Game
from controller.round.state import Laid, Round, State
from controller.shoe.ledger import Drawn
from controller.vocabulary.evidence import Proof, blanked

ProofT = TypeVar("ProofT", bound=Proof)


def commitment(drawn: Drawn) -> str:
    """SHA-256, hex, of the nonce's hex text followed by the card: ``printf %s%s NONCE CARD | sha256sum``."""
    return hashlib.sha256(f"{drawn.nonce}{drawn.card}".encode()).hexdigest()


def replayed_nonce(epoch: int, sequence: int) -> str:
    """The nonce of a card in a file without nonces: nothing is secret there, and replays must agree."""
    return hashlib.sha256(f"replay/{epoch}/{sequence}".encode()).hexdigest()[:32]


def lies_hidden(round_: Round, game: Game, laid: Laid) -> bool:
    """Whether a card of the round lies face down now; a burn card always does."""
    return laid.position == BURN or (game.face_down(laid.position) and not is_turned_up(round_, laid))


def is_turned_up(round_: Round, laid: Laid) -> bool:
    """Whether a reveal has turned the card up."""
    turned = round_.revealed
    return turned if isinstance(turned, bool) else laid.drawn.draw in turned


def to_reveal(round_: Round, game: Game) -> tuple[Laid, ...]:
    """The cards that lie face down and are to be turned up, in deal order: no burn card is."""
    return tuple(laid for laid in round_.laid if laid.position != BURN and lies_hidden(round_, game, laid))


def awaits_reveal(round_: Round, game: Game) -> bool:
    """Whether cards must be turned up before the round goes on: all lie, or the rest depends on them."""
    waits = game.due_after_reveal(round_.dealt) or game.next_position(round_.dealt) is None
    return waits and bool(to_reveal(round_, game))


def due_position(round_: Round, game: Game) -> str | None:
    """Where the next card goes as everybody may know it: None where what lies face down decides that."""
    return None if awaits_reveal(round_, game) else game.next_position(round_.dealt)


def lies_open(round_: Round, game: Game) -> bool:
    """Whether nothing of the round lies face down, or could still be laid so."""
    if not game.has_reveal:
        return True
    return game.next_position(round_.dealt) is None and not to_reveal(round_, game)


def may_name(state: State, game: Game, draw: int) -> bool:
    """Whether the card of a draw from the shoe in use may be named.

    A card that is not laid yet may not while bets or decisions are open (players could use it), nor, in a
    game with a reveal, until all of the round of its shoe lies open; a burn card never.
    """
    shoe, round_ = state.shoe, state.round
    if shoe is None:
        return True
    if draw in shoe.burned or any(drawn.draw == draw and drawn.position == BURN for drawn in shoe.drawn):
        return False
    own = round_ is not None and round_.shoe_id == shoe.id
    if round_ is not None and own:
        for laid in round_.laid:
            if laid.drawn.draw == draw:
                return not lies_hidden(round_, game, laid)
        if not lies_open(round_, game):
            return False
    if shoe.burns_pending and not shoe.burn_count_pending:
        return False
    return state.phase not in ("betting", "decision")


def lies_secret(state: State, game: Game, draw: int) -> bool:
    """Whether a card that was drawn may not be named now, laid or not."""
    if state.round is not None and state.shoe is not None and state.round.shoe_id == state.shoe.id:
        for laid in state.round.laid:
            if laid.drawn.draw == draw:
                return lies_hidden(state.round, game, laid)
    return not may_name(state, game, draw)


def may_quote(state: State, game: Game) -> bool:
    """Whether a device's text may be published: it could contain the code of a card that lies face down."""
    return not (game.has_reveal and state.in_round)


def public(state: State, game: Game, proof: ProofT) -> ProofT:
    """The proof as it may be published: what would name a secret card is blanked, its draw number stays."""
    if isinstance(proof.draw, UnsetType) or may_name(state, game, proof.draw):
        return proof
    return blanked(proof)
