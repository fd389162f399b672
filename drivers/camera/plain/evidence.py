"""What one picture says of one card, and whether that is enough to tell it."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_SIGN, LEAST_TOGETHER = 0.85, 2.87
"""Likeness below which a sign is none of the deck's, and rank, suit and face together."""
LEAST_IF_EVEN = 2.91
"""The same where both corners fall short alike, as signs of another design do (wear and dirt differ), or
where the picture is out of focus.
"""
CLEAR_SIGN, LEAST_FACE = 0.975, 0.72
"""Where both signs are so clear, a face that wear and dirt have changed may be no more alike than this."""
SIGN_AHEAD, FACE_AHEAD = 0.5, 0.4
"""Share of the way to every other sign or face by which the best one must be ahead."""
SIGN_AHEAD_IF_FACE, FACE_FAR_AHEAD = 0.3, 0.7
"""The same for a sign where the face, which is read apart from it, is far ahead with the same card."""
FACE_AHEAD_BOTH = 0.2
"""The same where both corners are seen and name the card so clearly: of two cards whose faces are much alike,
noise is half of the way.
"""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one picture says of one card: how like the best rank, suit and face are, and the share of the way
    to the next by which they are ahead.
    """

    card: str
    """By the index; by the face where no corner is seen."""
    rank: float
    rank_ahead: float
    suit: float
    suit_ahead: float
    face: float
    face_ahead: float
    corners: int
    agree: bool
    """No corner that is seen contradicts."""
    even: bool = False
    """What it falls short of is not the wear or dirt of one corner: both do alike, or it is out of focus."""
    alone: bool = True
    """The face, as far as it is seen, is no other card's."""

    @property
    def clear(self) -> bool:
        return self.corners > 0 and self.agree and self._ahead and (self._alike_together or self._index_clear)

    @property
    def _ahead(self) -> bool:
        sign_ahead = min(self.rank_ahead, self.suit_ahead)
        if self.alone and self.face_ahead >= FACE_FAR_AHEAD:
            return sign_ahead >= SIGN_AHEAD_IF_FACE
        both = self.corners == 2 and self._index_clear
        return sign_ahead >= SIGN_AHEAD and self.face_ahead >= (FACE_AHEAD_BOTH if both else FACE_AHEAD)

    @property
    def _alike_together(self) -> bool:
        signs = (self.rank, self.suit)
        return min(signs) >= LEAST_SIGN and sum(signs) + self.face >= (
            LEAST_IF_EVEN if self.even else LEAST_TOGETHER
        )

    @property
    def _index_clear(self) -> bool:
        return min(self.rank, self.suit) >= CLEAR_SIGN and self.face >= LEAST_FACE
