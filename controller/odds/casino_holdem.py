"""2 Hand Casino Hold'em: how good each hand is after the flop, exactly, over everything that is still unseen.

The dealer's two cards lie face down, so they count as unseen whatever the shoe has read: every dealer hand,
turn and river that the cards face up leave possible is compared once, by "Winning Hands" of the document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controller.games.casino_holdem import HANDS, CasinoHoldem
from controller.games.game import Dealt
from controller.odds.composition import OddsError
from controller.odds.counting import Counting, FaceUp, Line, cards
from controller.odds.showdowns import showdowns
from controller.vocabulary.cards import DECK_52, Card
from controller.vocabulary.parts import HandStrength
from controller.vocabulary.shown import counted, shown, told

HOLE_CARDS = 2
FLOP_CARDS = 3


def holdem_strength(hands: Mapping[str, Sequence[Card]], flop: Sequence[Card]) -> dict[str, HandStrength]:
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
    counted = showdowns(list(hands.values()), flop, unseen)
    return {name: HandStrength(*ways, sum(ways)) for name, ways in zip(hands, counted, strict=True)}


def _check_count(name: str, cards: Sequence[Card], expected: int) -> None:
    """The right number of cards."""
    if len(cards) != expected:
        raise OddsError(f"{name} has {counted(len(cards), 'card')}, expected {expected}", "wrong_card_count")


class CasinoHoldemOdds(Counting[CasinoHoldem]):
    """One deck, shuffled before every round: nothing is to be counted but the strength of the hands."""

    def answer(self, line: Line, *, numpy: bool | None = None) -> dict[str, HandStrength]:
        """``hands``: ``hand1``, ``hand2`` or both, two cards each; ``flop``: three."""
        hands = line.get("hands")
        if not isinstance(hands, Mapping):
            raise OddsError(
                f"{told('hands', hands)}: expected an object with hand1, and hand2 where it is dealt",
                "bad_cards",
            )
        by_hand = tuple((name, cards(hole, f"hands.{name}")) for name, hole in hands.items())
        return self.strengths(FaceUp(by_hand, cards(line.get("flop"), "flop")))

    def face_up(self, dealt: Sequence[Dealt]) -> FaceUp | None:
        """Once the flop lies: both hands, or the one that is dealt; turn and river change nothing."""
        lie: dict[str, tuple[Card, ...]] = {}
        for one in dealt:
            lie[one.position] = (*lie.get(one.position, ()), one.card)
        hands = tuple((name, lie[name]) for name in HANDS if name in lie)
        flop = lie.get("flop", ())
        if len(flop) != FLOP_CARDS or not hands or any(len(hole) != HOLE_CARDS for _, hole in hands):
            return None
        return FaceUp(hands, flop)

    def strengths(self, face_up: FaceUp) -> dict[str, HandStrength]:
        return holdem_strength(dict(face_up.hands), face_up.board)


ODDS = CasinoHoldemOdds()
