"""What is wrong with the card that just left the shoe, or with a count of it: a visible tuple of pure
functions.

Each check reports all that it sees. The core runs every one of :data:`CARD_CHECKS` on every card.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter

from msgspec import UNSET

from controller.shoe.ledger import Drawn, Shoe
from controller.shoe.unshuffled import LOOKED_AT, is_unshuffled, step
from controller.vocabulary.cards import Card
from controller.vocabulary.evidence import Proof
from controller.vocabulary.irregularities import Irregularity

_CARD = attrgetter("card")
Deck = tuple[Card, ...]
CardCheck = Callable[[Shoe, Drawn, Deck], list[Irregularity]]


def check_part_of_deck(shoe: Shoe, drawn: Drawn, deck: Deck) -> list[Irregularity]:
    """5.1.1: a code that names no card of this game's deck (a face card in a 40-card deck is foreign)."""
    if drawn.card is not None and drawn.card in deck:
        return []
    return [Irregularity("foreign_card", Proof(draw=drawn.draw, read=drawn.code))]


def check_set_mark(shoe: Shoe, drawn: Drawn, deck: Deck) -> list[Irregularity]:
    """5.1.1: a card that carries the mark of another set; the first mark names a shoe that was loaded without
    one."""
    if drawn.set is None or drawn.set == (mark := set_of(shoe)):
        return []
    return [Irregularity("foreign_card", Proof(draw=drawn.draw, set=drawn.set, shoe_set=mark))]


def set_of(shoe: Shoe) -> str | None:
    """The name of the set: as it was loaded, else the first mark that came out."""
    return shoe.set or next((drawn.set for drawn in shoe.drawn if drawn.set is not None), None)


def check_over_count(shoe: Shoe, drawn: Drawn, deck: Deck) -> list[Irregularity]:
    """5.1.2: copy number decks + 1 of one card, or one card more than the set has."""
    found: list[Irregularity] = []
    if drawn.card is not None and drawn.card in deck:
        count = list(map(_CARD, shoe.drawn)).count(drawn.card)
        if count > shoe.decks:
            proof = Proof(draw=drawn.draw, card=drawn.card, copies=count, decks=shoe.decks)
            found.append(Irregularity("excess", proof))
    if len(shoe.drawn) > shoe.total:
        proof = Proof(draw=drawn.draw, drawn=len(shoe.drawn), cards=shoe.total)
        found.append(Irregularity("excess", proof))
    return found


def check_serial(shoe: Shoe, drawn: Drawn, deck: Deck) -> list[Irregularity]:
    """5.1.2: the same physical card twice, where cards carry serial numbers."""
    if drawn.serial is None:
        return []
    twins = [other.draw for other in shoe.drawn if other.serial == drawn.serial and other.draw != drawn.draw]
    if not twins:
        return []
    return [
        Irregularity("duplicate_serial", Proof(draw=drawn.draw, serial=drawn.serial, first_draw=twins[0]))
    ]


def check_shuffled(shoe: Shoe, drawn: Drawn, deck: Deck) -> list[Irregularity]:
    """5.1.5: factory order beyond chance."""
    if "not_shuffled" in shoe.noted:
        return []
    newest = [out.card for out in shoe.drawn[-2:]]
    if len(newest) < 2 or not step(*newest):
        return []  # most cards; the others need not be looked at
    if not is_unshuffled([out.card for out in shoe.drawn[-LOOKED_AT:]]):
        return []
    return [Irregularity("not_shuffled", Proof(draw=drawn.draw, why="factory order"))]


CARD_CHECKS: tuple[CardCheck, ...] = (
    check_part_of_deck,
    check_set_mark,
    check_over_count,
    check_serial,
    check_shuffled,
)


def check_count(shoe: Shoe, cards: int | None, left: int | None, missing: object) -> list[Irregularity]:
    """5.1.2: a count of the whole set, or of what is left, that is not what it should be; cards named as
    missing."""
    named = plain(missing) if missing else UNSET
    found: list[Irregularity] = []
    if cards is not None and cards != shoe.total:
        proof = Proof(counted="cards", cards=cards, expected=shoe.total, missing=named)
        found.append(Irregularity("shortage" if cards < shoe.total else "excess", proof))
    if left is not None and left != shoe.left:
        proof = Proof(counted="left", left=left, expected=shoe.left, missing=named)
        found.append(Irregularity("shortage" if left < shoe.left else "excess", proof))
    if named is not UNSET and not found:
        found.append(Irregularity("shortage", Proof(missing=named)))
    return found


def plain(missing: object) -> int | str | tuple[str, ...] | None:
    """What a counter reported as missing, in a shape that is safe to keep and publish: number or names."""
    if isinstance(missing, bool | int):
        return int(missing) if abs(missing) < 1_000_000 else None
    if isinstance(missing, list):
        return tuple(str(name)[:40] for name in missing[:500])
    return str(missing)[:400]


def check_emptied(shoe: Shoe, needed: int) -> list[Irregularity]:
    """The shoe is said to be empty: 5.1.4 where the round still needs cards, 5.1.2 if cards should be
    left."""
    found: list[Irregularity] = []
    if needed:
        found.append(Irregularity("insufficient_cards", Proof(needed=needed, left=0)))
    if shoe.left > 0:
        found.append(Irregularity("shortage", Proof(counted="left", left=0, expected=shoe.left)))
    return found
