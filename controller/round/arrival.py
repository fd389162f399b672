"""A card arrives: it enters the ledger whatever the phase, passes the checks, and is placed or held."""

from __future__ import annotations

import msgspec
from msgspec import UNSET

from controller.games.game import BURN
from controller.round.holds import hold_for
from controller.round.places import place_or_wait
from controller.round.secrecy import commitment, replayed_nonce, tells_hidden
from controller.round.shoe_end import pass_marked_cut_card
from controller.round.turn import Turn, game_of, moment
from controller.round.voids import conduct, is_unread, twice_found
from controller.shoe.checks import CARD_CHECKS
from controller.shoe.code_map import decode
from controller.shoe.ledger import Drawn, awaited, enter, rename
from controller.vocabulary.events import CardRead, CardUnread
from controller.vocabulary.evidence import Proof
from controller.vocabulary.irregularities import Irregularity

MADE_BY_DOUBLE_READ = frozenset({"excess", "duplicate_serial"})
"""What a card that was read twice looks like; it is one of these only if it is a second card."""


def card_read(turn: Turn, event: CardRead) -> None:
    """A card left the shoe. It enters the ledger whatever the phase, then it is checked, then placed."""
    if turn.state.shoe is None:
        # Not named: it may yet be in the next shoe.
        hold_for(turn, "extra_card", Proof(why="no shoe is loaded", card=None))
        return
    pass_marked_cut_card(turn)
    decoded = decode(turn.state.shoe_configuration.code_map, event.code)
    drawn = Drawn(
        draw=turn.shoe.draws + 1,
        card=decoded.card,
        code=event.code,
        position=event.position,
        serial=event.serial or decoded.serial,
        set=event.set or decoded.set,
        nonce=nonce_of(turn),
    )
    again = not event.parted and read_again_too_soon(turn, event.code)
    turn.set(
        shoe=enter(turn.shoe, drawn),
        last_code=event.code,
        last_read_ms=read_ms(turn),
        last_boot=turn.stamp.boot,
    )
    if decoded.verdict == "unreadable":
        place_or_wait(turn, drawn)
    else:
        admit(turn, drawn, again=again)


def card_unread(turn: Turn, event: CardUnread) -> None:
    """A card passed the reader unread: it is in the ledger without a name, and the table holds."""
    if turn.state.shoe is None:
        hold_for(turn, "extra_card", Proof(why="no shoe is loaded", read=None))
        return
    pass_marked_cut_card(turn)
    drawn = Drawn(draw=turn.shoe.draws + 1, card=None, nonce=nonce_of(turn))
    turn.set(shoe=enter(turn.shoe, drawn), last_code=None)
    place_or_wait(turn, drawn)


def nonce_of(turn: Turn) -> str:
    """The card's 128 random bits, as the shell drew them."""
    return turn.stamp.nonce or replayed_nonce(turn.state.epoch, turn.stamp.sequence)


def admit(turn: Turn, drawn: Drawn, *, again: bool = False) -> None:
    """Run every check on a card (5.1.1, 5.1.2, 5.1.5), compare it with what must come next, and place it."""
    found = findings_about(turn, drawn)
    doubtful = {finding.code for finding in found} <= MADE_BY_DOUBLE_READ
    before = [one for one in turn.shoe.drawn if doubtful and explains(turn, one, drawn, found)]
    if again and doubtful and not found and tells_hidden(turn.state, turn.game, drawn):
        turn.set_shoe(doubled=(*turn.shoe.doubled, drawn.draw))
    elif again and doubtful:
        found = [twice_found(turn, drawn)]
    elif before:
        found = [twice_found(turn, one, later=True) for one in before]
    else:  # what may be no card at all is held against nothing until somebody says that it is one
        drawn, mismatch = reread(turn, drawn)
        found += mismatch
    if found:
        conduct(turn, tuple(found), items=(drawn,))
    else:
        place_or_wait(turn, drawn)


def explains(turn: Turn, before: Drawn, drawn: Drawn, found: list[Irregularity]) -> bool:
    """Whether an earlier card, which may be a double read, is why this one seems one too many: of its card,
    or of the whole set, to which any card counts."""
    too_many = any(before.card == drawn.card or finding.evidence.drawn is not UNSET for finding in found)
    return too_many and before.draw in turn.shoe.doubled


def findings_about(turn: Turn, drawn: Drawn) -> list[Irregularity]:
    """The findings of the shoe's checks; the house may switch off the check for factory order."""
    house = turn.state.shoe_configuration
    deck, sets = game_of(house).deck, house.shoe.sets
    found = [finding for check in CARD_CHECKS for finding in check(turn.shoe, drawn, deck)]
    if sets and drawn.set is not None and drawn.set not in sets and not turn.shoe.set:
        proof = Proof(draw=drawn.draw, set=drawn.set, shoe_set=None)
        found.insert(0, Irregularity("foreign_card", proof))
    if house.shoe.unshuffled == "watch":
        return found
    return [finding for finding in found if finding.code != "not_shuffled"]


def reread(turn: Turn, drawn: Drawn) -> tuple[Drawn, list[Irregularity]]:
    """Cards that went back are the next ones out, in their order: each is verified as it is drawn
    (Reconstruction). The same card keeps its commitment; one that people saw is a burn between rounds, where
    the house burns it."""
    unread = tuple(one for one in turn.state.loose if is_unread(turn, one))
    found = awaited(turn.shoe, drawn, unread)
    if found is None:
        return drawn, []
    if turn.state.exposed and turn.state.exposed_card == "burn":
        drawn = msgspec.structs.replace(drawn, position=BURN)
    wanted, rest = found
    if drawn.card is not None:  # a foreign one is no card of the shoe: what was due still is
        turn.set_shoe(expected=rest)
    if wanted.card == drawn.card:
        drawn = msgspec.structs.replace(drawn, nonce=wanted.nonce, committed=True)
        if wanted.draw in turn.shoe.named:
            turn.set_shoe(named=(*turn.shoe.named, drawn.draw))
    turn.set(shoe=rename(turn.shoe, drawn))
    if wanted.card is None or wanted.card == drawn.card:
        return drawn, []
    proof = Proof(draw=drawn.draw, card=None, commitment=commitment(wanted), got=drawn.card)
    return drawn, [Irregularity("reread_mismatch", proof)]


def read_ms(turn: Turn) -> int:
    """When the card was read, in milliseconds: by the monotonic clock of this boot, else by the label."""
    if turn.stamp.monotonic_ns is not None:
        return turn.stamp.monotonic_ns // 1_000_000
    return round(moment(turn.stamp.at).timestamp() * 1000)


def read_again_too_soon(turn: Turn, code: str) -> bool:
    """A double read would be a false pair at 11 to 1: the same code again within the house's time."""
    state, limit = turn.state, turn.state.shoe_configuration.shoe.min_card_interval_ms
    same = state.last_code == code and state.last_boot == turn.stamp.boot
    if not limit or not same or state.last_read_ms is None:
        return False
    return 0 <= read_ms(turn) - state.last_read_ms < limit
