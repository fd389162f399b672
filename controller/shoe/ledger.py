"""The ledger of one shoe: every card that left it, in order, and what is left by the count.

A card always enters the ledger, whatever the phase of the table; rounds only refer to it by its draw number.
"""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Literal

import msgspec

from controller.vocabulary.cards import Card

Unusable = Literal[
    "foreign_card",
    "excess",
    "shortage",
    "insufficient_cards",
    "not_shuffled",
    "wrong_count",
    "fault",
    "cut_card",
    "emptied",
]
"""Why no further round may be dealt from a shoe."""


class Drawn(msgspec.Struct, frozen=True, omit_defaults=True):
    """A card that left the shoe. ``card`` is None if it is foreign or was not read."""

    draw: int
    """Number of the draw in this shoe, from 1; a card that goes back and comes again gets a new one."""
    card: Card | None
    code: str = ""
    position: str | None = None
    """Where it lies by the device."""
    serial: str | None = None
    set: str | None = None
    nonce: str = ""
    entered_by: str | None = None
    """Badge of the supervisor who entered the card by hand for an unread one; ``code`` keeps what was read.
    """
    returned_after: int = 0
    """Of a card that went back: the draws that had been made by then."""
    committed: bool = False
    """It waited aside and could still come into play: until it is opened its commitment alone is published.
    """


class Shuffled(msgspec.Struct, frozen=True):
    """What was last said of a set: how many cards were counted, 0 where the shuffle failed, None where the
    machine does not count, and whether anything speaks against the whole set.
    """

    cards: int | None
    ok: bool
    done: bool = True
    """Whether the shuffle was completed; a count alone is none."""


class Shoe(msgspec.Struct, frozen=True, omit_defaults=True):
    """One load of the shoe (or of the continuous shuffler)."""

    id: int
    decks: int
    total: int
    """Cards that a whole set has."""
    loaded: int
    """Cards that were counted in at the loading."""
    shuffled: bool
    """Whether a shuffle of these cards is confirmed."""
    set: str | None = None
    rested: Shuffled | None = None
    """What the shuffler said of these cards, where it is not what was loaded, or no whole set."""
    recounted: bool = False
    """The whole set was counted after that, and was right."""
    drawn: tuple[Drawn, ...] = ()
    draws: int = 0
    """Draws so far, returned ones included."""
    shuffled_after: int = 0
    """Draws so far when a continuous shuffler last said that it shuffled the whole set."""
    unusable: Unusable | None = None
    rounds_left: int | None = None
    """After the cut card: how many further rounds may open; None before it."""
    emptied: bool = False
    """It was said to be empty while cards waited that may be the last ones of the round."""
    burns_pending: int = 0
    burn_count_pending: bool = False
    """The next card is turned up and tells how many are burned."""
    burned: tuple[int, ...] = ()
    """Draw numbers of the burn cards that nobody turned up."""
    opened: tuple[int, ...] = ()
    """Draw numbers of the cards that were burned or voided with their name: all know that these are out."""
    named: tuple[int, ...] = ()
    """Draw numbers of the cards that evidence has named, or that lay open and went back, and of these cards
    when they come again; and of what was ruled a second card of one that all know. However they lie, all know
    them."""
    unrevealed: tuple[int, ...] = ()
    """Draw numbers of the cards that were taken away and never named: to the players they are unseen."""
    doubled: tuple[int, ...] = ()
    """Draw numbers of what may be a card that was read twice, and nobody has ruled on: to say so might tell
    what lies face down, or the round was void before."""
    noted: tuple[str, ...] = ()
    """Codes of findings about the whole shoe that a supervisor has taken note of and let pass."""
    expected: tuple[Drawn, ...] = ()
    """Cards that went back, in the order in which they must come out again."""

    @property
    def left(self) -> int:
        """Cards that should still be in the shoe."""
        return self.total - len(self.drawn)

    def draw_numbers(self) -> frozenset[int]:
        """Numbers of the draws that are out."""
        return frozenset(drawn.draw for drawn in self.drawn)


def enter(shoe: Shoe, drawn: Drawn) -> Shoe:
    """The shoe after one more card has left it."""
    return msgspec.structs.replace(shoe, drawn=(*shoe.drawn, drawn), draws=max(shoe.draws, drawn.draw))


def take_back(shoe: Shoe, draw: int) -> Shoe:
    """The shoe after the card of that draw went back; it must come out again in its original order.

    Behind it come the cards that were drawn after it, and those that had gone back before it was drawn.
    """
    found = next(drawn for drawn in shoe.drawn if drawn.draw == draw)
    back = msgspec.structs.replace(found, committed=True, position=None, returned_after=shoe.draws)
    front = [one for one in shoe.expected if one.draw < draw and not 0 < one.returned_after < draw]
    return msgspec.structs.replace(
        shoe,
        emptied=False,
        drawn=tuple(drawn for drawn in shoe.drawn if drawn.draw != draw),
        doubled=tuple(one for one in shoe.doubled if one != draw),
        expected=(*front, back, *shoe.expected[len(front) :]),
    )


def awaited(
    shoe: Shoe, drawn: Drawn, unread: tuple[Drawn, ...] = ()
) -> tuple[Drawn, tuple[Drawn, ...]] | None:
    """Of the cards that must come out again: the one that this draw is held against, and those still to come.

    The first of them that no ``unread`` card has taken, which came before this one and waits to be entered; a
    card further back among them was put back in another order and is crossed out. None where none was left,
    or had gone back yet, when this one was drawn.
    """
    due, taken = list(shoe.expected), list[Drawn]()
    for before in sorted(one.draw for one in unread if one.draw < drawn.draw):
        taken += [back for back in due if back.returned_after < before][:1]
        due = [back for back in due if back not in taken]
    due = [back for back in due if back.returned_after < drawn.draw]
    found = next((back for back in (*due, *taken) if back.card == drawn.card), due[0] if due else None)
    if found is None:
        return None
    return (due or [found])[0], tuple(back for back in shoe.expected if back is not found)


def cross_out(shoe: Shoe, unread: tuple[Drawn, ...]) -> Shoe:
    """The shoe after unread cards were taken away: each was the card that was due then, if one was."""
    for drawn in unread:
        found = awaited(shoe, drawn)
        if found is not None:
            expected = tuple(back for back in shoe.expected if back is not found[0])
            shoe = msgspec.structs.replace(shoe, expected=expected)
    return shoe


def remove(shoe: Shoe, draw: int) -> Shoe:
    """The shoe without a card that was never part of it (foreign, set aside by a supervisor)."""
    return msgspec.structs.replace(shoe, drawn=tuple(drawn for drawn in shoe.drawn if drawn.draw != draw))


def rename(shoe: Shoe, named: Drawn) -> Shoe:
    """The shoe with the card of one draw replaced (a card entered by hand)."""
    return msgspec.structs.replace(
        shoe, drawn=tuple(named if drawn.draw == named.draw else drawn for drawn in shoe.drawn)
    )


def collect(shoe: Shoe, cards: int, kept: frozenset[int]) -> Shoe:
    """A continuous shuffler after the earliest ``cards`` discards went back in; draws in ``kept`` lie on the
    table. What may have been read twice goes last: it may be no card."""
    discards = [drawn.draw for drawn in shoe.drawn if drawn.draw not in kept]
    discards.sort(key=lambda draw: draw in shoe.doubled)
    gone = frozenset(discards[:cards])
    return msgspec.structs.replace(
        shoe,
        emptied=False,
        drawn=tuple(drawn for drawn in shoe.drawn if drawn.draw not in gone),
        burned=tuple(draw for draw in shoe.burned if draw not in gone),
        opened=tuple(draw for draw in shoe.opened if draw not in gone),
        named=tuple(draw for draw in shoe.named if draw not in gone),
        unrevealed=tuple(draw for draw in shoe.unrevealed if draw not in gone),
        doubled=tuple(draw for draw in shoe.doubled if draw not in gone),
    )
