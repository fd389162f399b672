"""Cards: a card is two characters, rank then suit ("TH" is the ten of hearts)."""

from __future__ import annotations

from typing import NewType

from controller.vocabulary.errors import CardError
from controller.vocabulary.shown import shown

Card = NewType("Card", str)

RANKS = "A23456789TJQK"
SUITS = "SHDC"

DECK_52: tuple[Card, ...] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""One deck of 52 cards in factory order, suit by suit from the ace."""

DECK_40: tuple[Card, ...] = tuple(card for card in DECK_52 if card[0] not in "JQK")
"""One deck with all face cards removed (Two Cards High, rule 1)."""

_KNOWN = frozenset(DECK_52)


def parse_card(text: object) -> Card:
    """The card that ``text`` names; :class:`CardError` where it names none."""
    if isinstance(text, str) and text in _KNOWN:
        return Card(text)
    said = f"{text!r}" if isinstance(text, str) else shown(text)
    raise CardError(f"{said} is no card: expected a rank of {RANKS} and a suit of {SUITS}, as in 'TH'")


def rank(card: Card) -> str:
    """The rank of a card, one of ``A23456789TJQK``."""
    return card[0]


def suit(card: Card) -> str:
    """The suit of a card, one of ``SHDC``."""
    return card[1]


def order(card: Card) -> int:
    """Place of the rank from 1 (ace) to 13 (king)."""
    return RANKS.index(card[0]) + 1
