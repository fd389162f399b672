"""How good a hold'em hand is after the flop: exact counts over everything that is still unseen.

The dealer's two cards lie face down, so they count as unseen whatever the shoe has read: every dealer hand,
turn and river that the cards face up leave possible is compared once, by "Winning Hands" of the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from reprlib import repr as shown
from typing import Protocol

from controller.odds import strength_plain
from controller.odds.composition import OddsError
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.parts import HandStrength

HANDS = ("hand1", "hand2")
HOLE_CARDS = 2
FLOP_CARDS = 3


class CompareHands(Protocol):
    """How the showdowns are counted."""

    def __call__(
        self, holes: Sequence[Sequence[Card]], flop: Sequence[Card], unseen: Sequence[Card]
    ) -> list[tuple[int, int, int]]:
        """Wins, ties and losses of each hand."""
        ...


@cache
def engine(numpy: bool | None = None) -> CompareHands:
    """The engine with or without numpy; None takes numpy where it is installed. Both give the same
    integers."""
    if numpy is None:
        numpy = find_spec("numpy") is not None
    if not numpy:
        return strength_plain.showdowns
    from controller.odds import strength_arrays

    return strength_arrays.showdowns


def holdem_strength(
    hands: Mapping[str, Sequence[Card]], flop: Sequence[Card], *, numpy: bool | None = None
) -> dict[str, HandStrength]:
    """The strength of each hand of ``hands``: ``hand1``, ``hand2`` or both, two cards each; ``flop`` three.

    :class:`OddsError` with code ``unknown_hand``, ``missing_hand``, ``wrong_card_count`` or
    ``duplicate_card``.
    """
    if not hands:
        raise OddsError("hands is empty: expected hand1, and hand2 where it is dealt", "missing_hand")
    for name, hole in hands.items():
        if name not in HANDS:
            raise OddsError(f"hands names {shown(name)}: expected {' or '.join(HANDS)}", "unknown_hand")
        _check_count(f"hands.{name}", hole, HOLE_CARDS)
    _check_count("flop", flop, FLOP_CARDS)
    face_up = [*flop, *(card for hole in hands.values() for card in hole)]
    twice = next((card for card in face_up if face_up.count(card) > 1), None)
    if twice is not None:
        raise OddsError(f"card {twice} is there twice; one deck has one", "duplicate_card")
    unseen = [card for card in DECK_52 if card not in face_up]
    counted = engine(numpy)(list(hands.values()), flop, unseen)
    return {name: HandStrength(*ways, sum(ways)) for name, ways in zip(hands, counted, strict=True)}


def _check_count(name: str, cards: Sequence[Card], expected: int) -> None:
    """The right number of cards."""
    if len(cards) != expected:
        raise OddsError(f"{name} has {len(cards)} cards, expected {expected}", "wrong_card_count")
