"""What may be published of a card: one that lies face down is named nowhere before its reveal (R25)."""

from __future__ import annotations

import hashlib
from typing import TypeVar

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from controller.games.game import BURN, Game
from controller.round.state import Laid, Revealed, Round, State
from controller.shoe.ledger import Drawn, Shoe
from controller.vocabulary.display import UnderKey
from controller.vocabulary.evidence import Proof, blanked
from controller.vocabulary.remembered import remembered

ProofT = TypeVar("ProofT", bound=Proof)


def commitment(drawn: Drawn) -> str:
    """SHA-256, hex, of the nonce's hex text followed by the card: ``printf %s%s NONCE CARD | sha256sum``."""
    return hashlib.sha256((str(drawn.nonce) + str(drawn.card)).encode()).hexdigest()


def replayed_nonce(epoch: int, sequence: int) -> str:
    """The nonce of a card in a file without nonces: nothing is secret there, and replays must agree."""
    return hashlib.sha256(f"replay/{epoch}/{sequence}".encode()).hexdigest()[:32]


def lies_hidden(round_: Round, game: Game, laid: Laid) -> bool:
    """Whether a card of the round lies face down now; a burn card always does."""
    return _lies_hidden(game, round_.revealed, laid)


def face_down(round_: Round, game: Game) -> tuple[bool, ...]:
    """The same of each card of the round, in deal order."""
    return _face_down(game, round_.revealed, round_.laid)


def is_turned_up(revealed: Revealed, laid: Laid) -> bool:
    """Whether a reveal has turned the card up."""
    return revealed if isinstance(revealed, bool) else laid.drawn.draw in revealed


def _lies_hidden(game: Game, revealed: Revealed, laid: Laid) -> bool:
    return laid.position == BURN or (game.face_down(laid.position) and not is_turned_up(revealed, laid))


@remembered
def _face_down(game: Game, revealed: Revealed, laid: tuple[Laid, ...]) -> tuple[bool, ...]:
    return tuple([_lies_hidden(game, revealed, one) for one in laid])


def to_reveal(round_: Round, game: Game) -> tuple[Laid, ...]:
    """The cards that lie face down and are to be turned up, in deal order: no burn card is."""
    lying = zip(round_.laid, face_down(round_, game), strict=True)
    return tuple([laid for laid, hidden in lying if hidden and laid.position != BURN])


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


def lies_unknown(state: State, game: Game) -> bool:
    """Whether a hold for two equal codes would tell of a card face down, where two cards may be equal."""
    round_ = state.round
    return game.decks > 1 and state.in_round and round_ is not None and not lies_open(round_, game)


def before_it(shoe: Shoe, drawn: Drawn) -> Drawn | None:
    """The card of the same code before this one: of a double read, the one that was read twice."""
    same = [one for one in shoe.drawn if one.code == drawn.code and one.draw < drawn.draw]
    return same[-1] if same else None


def tells_hidden(state: State, game: Game, drawn: Drawn) -> bool:
    """Whether to ask about a double read would tell that two cards face down are equal.

    Not where the first of the two was burned, or lies nowhere: the second would be laid in place of another.
    """
    if state.shoe is None or state.round is None or not lies_unknown(state, game):
        return False
    first = before_it(state.shoe, drawn)
    lying = {laid.drawn.draw for laid in state.round.laid} | {card.draw for card in state.loose}
    return first is not None and first.draw in lying


def may_yet_play(state: State) -> dict[int, Drawn]:
    """Draw -> card, of the cards that may still come into play: they wait aside, are kept for the next round,
    or went back. They could become a face-down card, or the known first card of open bets."""
    back = () if state.shoe is None else state.shoe.expected
    return {
        drawn.draw: drawn for drawn in (*state.loose, *back) if drawn.committed and drawn.card is not None
    }


def under_key(state: State) -> UnderKey | None:
    """What a supervisor may read on the table's own page while the key is turned: the cards of the holds and
    those that went back, where no public message names them. Nothing while anybody may bet or decide, and
    never a card that is laid or set aside to be laid: what lies face down stays so under the key, too.
    """
    shoe = state.shoe
    free = state.holds or not (state.phase in ("betting", "decision") or state.awaits_book)
    if shoe is None or not free:
        return None
    held = (drawn for hold in state.holds if hold.shoe == shoe.id for drawn in hold.cards)
    cards = {str(one.draw): str(one.card) for one in held if one.committed and one.card is not None}
    next_out = tuple([None if one.card is None else str(one.card) for one in shoe.expected])
    return UnderKey(cards=cards, next_out=next_out) if cards or next_out else None


def may_name(state: State, game: Game, draw: int) -> bool:
    """Whether the card of a draw from the shoe in use may be named.

    A card that is not laid yet may not while it could still come into play, while bets or decisions are open
    (players could use it), nor, in a game with a reveal, until all of the round of its shoe lies open; a burn
    card only where it was opened.
    """
    shoe, round_ = state.shoe, state.round
    if shoe is None or draw in shoe.opened:
        return True
    if draw <= shoe.draws and draw not in shoe.draw_numbers():  # it went back, and may be out again
        return False
    if draw in shoe.burned or any(drawn.draw == draw and drawn.position == BURN for drawn in shoe.drawn):
        return False
    own = round_ is not None and round_.shoe_id == shoe.id
    if round_ is not None and own:
        for laid in round_.laid:
            if laid.drawn.draw == draw:
                return not lies_hidden(round_, game, laid)
        if not lies_open(round_, game):
            return False
    if draw in may_yet_play(state) or (state.burns_due and not shoe.burn_count_pending):
        return False
    return state.phase not in ("betting", "decision") and not state.awaits_book


def lies_secret(state: State, game: Game, draw: int) -> bool:
    """Whether a card that was drawn may not be named now, laid or not."""
    if state.round is not None and state.shoe is not None and state.round.shoe_id == state.shoe.id:
        for laid in state.round.laid:
            if laid.drawn.draw == draw:
                return lies_hidden(state.round, game, laid)
    return not may_name(state, game, draw)


def may_quote(state: State, game: Game) -> bool:
    """Whether a device's text may be published: it could contain the code of a card that lies face down, or
    may still come into play."""
    return not (game.has_reveal and state.in_round) and not may_yet_play(state)


def public(state: State, game: Game, proof: ProofT) -> ProofT:
    """The proof as it may be published: what would name a secret card is blanked, its draw number stays. One
    that may still come into play has its commitment there, which is opened with the card. Of a shoe that is
    gone it is kept as it was published with that shoe."""
    if isinstance(proof.draw, UnsetType) or not isinstance(proof.of_shoe, UnsetType):
        return proof
    if state.shoe is not None and proof.draw in state.shoe.opened:
        return opened(state.shoe, proof, proof.draw)
    if may_name(state, game, proof.draw):
        return proof
    withheld = may_yet_play(state).get(proof.draw)
    blank = blanked(proof)
    return blank if withheld is None else replace(blank, commitment=commitment(withheld))


def opened(shoe: Shoe, proof: ProofT, draw: int) -> ProofT:
    """The proof about a card whose commitment is opened, with what opens it, and the card where it says
    nothing of it."""
    out = next((drawn for drawn in (*shoe.drawn, *shoe.expected) if drawn.draw == draw), None)
    if out is None:
        return proof
    named = isinstance(proof.card, str) or isinstance(proof.got, str)
    # What went back and was due in its place has a commitment of its own, which this nonce does not open.
    own = UNSET if isinstance(proof.commitment, UnsetType) else commitment(out)
    return replace(proof, commitment=own, nonce=out.nonce, card=proof.card if named else out.card)
