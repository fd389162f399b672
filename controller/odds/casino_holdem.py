"""2 Hand Casino Hold'em: how good each hand is while the players decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from reprlib import repr as shown

from controller.games.casino_holdem import HANDS, CasinoHoldem
from controller.games.game import Dealt
from controller.odds.composition import OddsError
from controller.odds.counting import Counting, FaceUp, Line, cards
from controller.odds.strength import FLOP_CARDS, HOLE_CARDS, holdem_strength
from controller.vocabulary.cards import Card
from controller.vocabulary.parts import HandStrength


class CasinoHoldemOdds(Counting[CasinoHoldem]):
    """One deck, shuffled before every round: nothing is to be counted but the strength of the hands."""

    def answer(self, line: Line, *, numpy: bool | None = None) -> dict[str, HandStrength]:
        """``hands``: ``hand1``, ``hand2`` or both, two cards each; ``flop``: three."""
        hands = line.get("hands")
        if not isinstance(hands, Mapping):
            raise OddsError(
                f"hands is {shown(hands)}: expected an object with hand1, and hand2 where it is dealt",
                "bad_cards",
            )
        by_hand = tuple((name, cards(hole, f"hands.{name}")) for name, hole in hands.items())
        return self.strengths(FaceUp(by_hand, cards(line.get("flop"), "flop")), numpy=numpy)

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

    def strengths(self, face_up: FaceUp, *, numpy: bool | None = None) -> dict[str, HandStrength]:
        """Over every dealer hand, turn and river."""
        return holdem_strength(dict(face_up.hands), face_up.board, numpy=numpy)


ODDS = CasinoHoldemOdds()
