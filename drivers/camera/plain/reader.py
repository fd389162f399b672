"""Which card is it? The index of each corner, rank and suit apart, and the whole face, which must all say the
same.

What the best sign is ahead of another one is compared with what the two are apart: of a perfect picture it is
all of that, and 0 where nobody could tell the two. A card is told where rank, suit and face are each like
enough and each enough of that way ahead of every other one, and where no corner contradicts. What is not told
is a card that was not read; it is never the second best.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import cv2
import numpy as np
from numpy.typing import NDArray

from drivers.camera.plain import face
from drivers.camera.plain.evidence import CLEAR_SIGN, Evidence
from drivers.camera.plain.flat import LEAST_SEEN, SHARP, Flat, lay_flat
from drivers.camera.plain.index import Index, Signs, apart, blurred, joined, signs_of
from drivers.camera.plain.library import OTHERS, SUITS, Library
from drivers.camera.plain.outline import Picture, Shape, brightness, shapes

Floats = NDArray[np.float32]
Verdict = Literal["card", "other", "foreign", "unclear"]
_EVEN = 0.02
"""Likeness by which two corners may differ and fall short alike."""
_LEAST_PART = 0.2
"""A card of which some printed part is seen less than this (1 is all of it) is of another design, or is
covered.
"""
_EQUAL = 0.012
"""Two faces (or what is seen of them) that are no further apart cannot be told from each other."""
_CONTRADICTS = 0.25
"""Share of the way from the named sign by which a corner that is like another one contradicts."""
_BLURS_PX = (0.0, 1.0, 1.7)
"""Of the signs, to compare with a corner that is out of focus: deviation, in pixels of the canvas."""
_SHARPER = 0.015
"""Likeness by which a blurred index must be nearer than one that is sharper."""
_IN_FOCUS = 0.97
"""Likeness of both signs from which on no other focus is tried."""
_OTHER_LEAST, _OTHER_AHEAD = 0.9, 0.5
_FOREIGN_FACE = 0.55
"""A whole, clear card whose face is like none of the deck's by so much is of another design."""
_CARDS_IN_ONE = 1.3


@dataclass(frozen=True, slots=True)
class Sighting:
    """One bright thing in a picture: what it is. `cards`: so many cards it may be, by its size."""

    shape: Shape
    verdict: Verdict
    name: str = ""
    evidence: Evidence | None = None
    cards: int = 1


class DeckReader:
    """Reads the cards of one or several designs."""

    def __init__(self, libraries: Sequence[Library]) -> None:
        self._decks = tuple(_Deck(library) for library in libraries)
        self._area_px = max(deck.library.aspect * deck.library.height_px**2 for deck in self._decks)

    def read(self, picture: Picture) -> list[Sighting]:
        """What is seen in a picture (blue, green, red; or grey)."""
        if picture.ndim == 2:
            picture = np.asarray(cv2.cvtColor(picture, cv2.COLOR_GRAY2BGR), np.uint8)
        found = shapes(brightness(picture))
        if not found:
            # A cut card of coloured plastic is dark in one colour.
            found = shapes(np.asarray(picture.max(2), np.uint8))
        return [self._sighting(picture, shape) for shape in found]

    def _sighting(self, picture: Picture, shape: Shape) -> Sighting:
        laid: dict[tuple[float, float], Flat | None] = {}
        decks: list[tuple[_Deck, Flat]] = []
        for deck in self._decks:
            form = (deck.library.aspect, deck.library.height_px)
            if form not in laid:
                laid[form] = lay_flat(picture, shape, *form)
            if (flat := laid[form]) is not None:
                decks.append((deck, flat))
        if not decks:
            return Sighting(shape, "unclear", cards=2 if shape.area_px > _CARDS_IN_ONE * self._area_px else 1)
        deck, flat = decks[0] if len(decks) == 1 else max(decks, key=_face_alike)
        return deck.judged(shape, flat)


@dataclass(frozen=True, slots=True)
class _Focus:
    """An index, and how far its signs are apart."""

    index: Index
    ranks_apart: Floats
    suits_apart: Floats

    @classmethod
    def of(cls, index: Index) -> _Focus:
        return cls(index, apart(index.ranks), apart(index.suits))


class _Deck:
    """A library, and what is computed of it once."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.faces = face.Faces(library.faces)
        self._focused = tuple(_Focus.of(blurred(library.index, by_px)) for by_px in _BLURS_PX)
        self._cut_cards = {
            card: _tone(library.faces[place])
            for place, card in enumerate(library.cards)
            if card.startswith("cut")
        }

    def judged(self, shape: Shape, flat: Flat) -> Sighting:
        if (plain := self._plain(flat)) is not None:
            return Sighting(shape, "other", plain)
        focus, signs = self._signs(flat)
        in_place = flat.in_place({which: one.off_px for which, one in signs.items()})
        cells = face.coarse(in_place)
        shown, seen = face.traits(cells), flat.seen * face.undazzled(cells)
        if float(seen.mean()) < LEAST_SEEN:
            return Sighting(shape, "unclear")
        likeness = self.faces.alike(shown, seen)
        best = int(likeness.argmax())
        name, ways = self.library.cards[best], self.faces.apart_from(best, seen)
        if name.startswith(OTHERS):
            ahead = _ahead(likeness, ways, best, _EQUAL)
            sure = float(likeness[best]) >= _OTHER_LEAST and ahead >= _OTHER_AHEAD
            return Sighting(shape, "other" if sure else "unclear", name if sure else "")
        evidence = self._evidence(seen, focus, list(signs.values()), likeness, ways)
        place = self.library.cards.index(evidence.card)
        if evidence.clear and self.faces.least_part(place, shown, seen) >= _LEAST_PART:
            return Sighting(shape, "card", evidence.card, evidence)
        strange = shape.whole and evidence.face < _FOREIGN_FACE and float(likeness.max()) < _FOREIGN_FACE
        if strange and flat.sharpness > SHARP:
            return Sighting(shape, "foreign", "", evidence)
        return Sighting(shape, "unclear", "", evidence)

    def _signs(self, flat: Flat) -> tuple[_Focus, dict[int, Signs]]:
        """What both corners show (0, 1), as far as they are seen, with the index blurred as they are."""
        best, found, most = self._focused[0], dict[int, Signs](), -1.0
        for focus in self._focused:
            signs = {
                which: signs_of(flat.corner(which), focus.index) for which in (0, 1) if flat.corners[which]
            }
            likeness = max((min(one.ranks.max(), one.suits.max()) for one in signs.values()), default=0.0)
            if likeness > most + _SHARPER:
                best, found, most = focus, signs, likeness
            if not signs or likeness >= _IN_FOCUS:
                break
        return best, found

    def _evidence(
        self, seen: Floats, focus: _Focus, signs: Sequence[Signs], likeness: Floats, ways: Floats
    ) -> Evidence:
        """`likeness` of each face, and the `ways` from the one that is most alike to each."""
        library, best = self.library, int(likeness.argmax())
        if not signs:
            return Evidence(library.cards[best], 0, 0, 0, 0, float(likeness[best]), 0, 0, False)
        alone = np.count_nonzero(ways <= _EQUAL) == 1
        # A stain or a scratch spoils one corner; the other one speaks, or both together, and neither may
        # contradict. Where the face cannot tell the card from another one, each corner must name it.
        ranks = max((one.ranks for one in signs), key=np.max)
        suits = max((one.suits for one in signs), key=np.max)
        if alone and len(signs) == 2 and min(ranks.max(), suits.max()) < CLEAR_SIGN:
            together = joined(signs[0], signs[1], focus.index)
            ranks = max((ranks, *(one for one, _ in together)), key=np.max)
            suits = max((suits, *(one for _, one in together)), key=np.max)
        rank, suit = self._rank_of(ranks), self._suit_of(suits)
        room = _CONTRADICTS if alone else 0.0
        agree = all(
            not _contradicts(one.ranks, focus.ranks_apart, rank, len(library.ranks), room)
            and not _contradicts(one.suits, focus.suits_apart, suit, len(SUITS), room)
            for one in signs
        )
        card = library.ranks[rank] + SUITS[suit]
        place = library.cards.index(card)
        return Evidence(
            card,
            float(ranks.max()),
            _sign_ahead(ranks, focus.ranks_apart, len(library.ranks)),
            float(suits.max()),
            _sign_ahead(suits, focus.suits_apart, len(SUITS)),
            float(likeness[place]),
            _ahead(likeness, ways if place == best else self.faces.apart_from(place, seen), place, _EQUAL),
            len(signs),
            agree,
            focus is not self._focused[0] or _even(signs),
            alone,
        )

    def _rank_of(self, likeness: Floats) -> int:
        return int(likeness.argmax()) % len(self.library.ranks)

    def _suit_of(self, likeness: Floats) -> int:
        return int(likeness.argmax()) % len(SUITS)

    def _plain(self, flat: Flat) -> str | None:
        """A cut card of one colour: nothing is printed on it, so its colour alone tells it."""
        if not self._cut_cards:
            return None
        colour, varies = _tone(face.coarse(flat.canvas))
        if varies > _PLAIN:
            return None
        for name, (known, known_varies) in self._cut_cards.items():
            coloured = known_varies <= _PLAIN and float(np.abs(known - 1 / 3).max()) > _SAME_TONE
            if coloured and float(np.abs(colour - known).max()) < _SAME_TONE:
                return name
        return None


_PLAIN, _SAME_TONE = 0.06, 0.04


def _face_alike(laid: tuple[_Deck, Flat]) -> float:
    deck, flat = laid
    return float(deck.faces.alike(face.traits(face.coarse(flat.canvas)), flat.seen).max())


def _tone(cells: Picture) -> tuple[Floats, float]:
    """The mean colour of a face as shares of blue, green and red, and how much its brightness varies (of
    its mean).
    """
    inner = cells[4:-4, 4:-4].reshape(-1, 3).astype(np.float32)
    mean = inner.mean(0)
    brightest = inner.max(1)
    return mean / max(float(mean.sum()), 1.0), float(brightest.std() / max(float(brightest.mean()), 1.0))


def _sign_ahead(likeness: Floats, distances: Floats, signs: int) -> float:
    """`_ahead` of the other signs, each in the form that is nearest; likeness and distances are of forms."""
    best = int(likeness.argmax())
    nearest = distances[best].reshape(-1, signs).min(0)
    return _ahead(likeness.reshape(-1, signs).max(0), nearest, best % signs)


def _even(signs: Sequence[Signs]) -> bool:
    """Whether both corners are as much like a rank as each other, and like a suit."""
    likeness = np.array([(one.ranks.max(), one.suits.max()) for one in signs])
    return len(signs) == 2 and float(np.abs(likeness[0] - likeness[1]).max()) < _EVEN


def _contradicts(likeness: Floats, distances: Floats, named: int, signs: int, room: float) -> bool:
    """Whether a corner shows another sign than the one that the card is named by, ahead of it by more than
    `room` of the way.
    """
    best = int(likeness.argmax())
    if best % signs == named:
        return False
    way = float(distances[best].reshape(-1, signs).min(0)[named])
    ahead = float(likeness[best]) - float(likeness.reshape(-1, signs).max(0)[named])
    return ahead > room * way


def _ahead(likeness: Floats, distances: Floats, best: int, equal: float = 0.0) -> float:
    """The least share of its way to another one by which one is ahead. What is no more than `equal` away
    cannot be told from it, and does not count.
    """
    ways = np.maximum(distances, 1e-6) * max(float(likeness[best]), 1e-3)
    shares = np.where(distances > equal, (float(likeness[best]) - likeness) / ways, np.inf)
    shares[best] = np.inf
    return float(shares.min())
