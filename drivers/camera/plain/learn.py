"""Learning a deck: from pictures of its cards, one or some of each, to a library that knows how far to
trust itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs
from numpy.typing import NDArray

from drivers.camera.plain import face
from drivers.camera.plain.flat import Flat, aspect_of, lay_flat
from drivers.camera.plain.index import Index, apart, find_index, ink, signs_of
from drivers.camera.plain.library import OTHERS, RANKS, SUITS, Judgement, Library
from drivers.camera.plain.outline import Picture, Shape, brightness, shapes
from drivers.camera.plain.reader import DeckReader
from drivers.errors import DeviceFault

_RANKS_APART, _SUITS_APART, _FACES_APART = 0.04, 0.04, 0.03
"""Least distances of a deck that is trusted."""
_LEAVE_OUT = "; a back, a joker or a cut card without a bright edge is left out: then it is an unread card"
SHORT_RANKS = RANKS[:10]
"""Of a deck of 40."""


class CannotLearn(DeviceFault):
    """No library can be made of these pictures; the text says which and why."""


def whole_card(picture: Picture) -> Shape | None:
    """The one card of which a picture shows all sides; None if it shows none or several."""
    found = shapes(brightness(picture))
    return found[0] if len(found) == 1 and aspect_of(found[0]) is not None else None


def learn(name: str, pictures: Mapping[str, Sequence[Picture]]) -> Library:
    """The library of a deck from pictures of each card by its name: `8S`, and `joker`, `back` and `cut` with
    anything behind it. Raises CannotLearn.
    """
    ranks = _ranks(pictures)
    cards = (*(rank + suit for rank in ranks for suit in SUITS), *sorted(set(pictures) - _deck(ranks)))
    outlines = {card: [(picture, whole_card(picture)) for picture in pictures[card]] for card in cards}
    unclear = [card for card, found in outlines.items() if not any(shape is not None for _, shape in found)]
    if unclear:
        message = f"no card with all its sides is seen in the pictures of {' '.join(unclear)}"
        without = any(card.startswith(OTHERS) for card in unclear)
        raise CannotLearn(f"{message}{_LEAVE_OUT if without else ''}")
    forms = [aspect_of(shape) for found in outlines.values() for _, shape in found if shape is not None]
    aspect, height = (
        float(value) for value in np.median([form for form in forms if form is not None], axis=0)
    )
    samples = {card: _upright(found, aspect, height, card) for card, found in outlines.items()}
    rough = _index(samples, ranks)
    for card in _deck(ranks):
        # What the printer or the outline was off by would blur the signs.
        samples[card] = [_in_place(flat, rough) for flat in samples[card]]
    index = _index(samples, ranks)
    faces = np.stack([_mean([face.coarse(flat.canvas) for flat in samples[card]]) for card in cards])
    judgement = judge(cards, ranks, index, faces)
    library = Library(name, cards, aspect, height, index, ranks, faces, judgement)
    # Where some cards have no index, or another one, the library looks well and reads the others only.
    if unread := _not_read(library, pictures):
        doubts = (*judgement.doubts, f"it does not read its own pictures of {' '.join(unread)}")
        library = replace(library, judgement=structs.replace(judgement, doubts=doubts))
    return library


def judge(cards: Sequence[str], ranks: str, index: Index, faces: NDArray[np.uint8]) -> Judgement:
    """How far apart the most alike of a deck are, and what speaks against trusting it."""
    between_ranks = _closest_signs(index.ranks, len(ranks))
    between_suits = _closest_signs(index.suits, len(SUITS))
    numbered = [place for place, card in enumerate(cards) if not card.startswith(OTHERS)]
    between_faces, (one, other) = _closest(face.Faces(faces[numbered]).apart)
    doubts = [
        f"{what} are too alike ({distance:.3f} apart, {least} is needed)"
        for what, distance, least in (
            ("two ranks", between_ranks, _RANKS_APART),
            ("two suits", between_suits, _SUITS_APART),
            (f"{cards[numbered[one]]} and {cards[numbered[other]]}", between_faces, _FACES_APART),
        )
        if distance < least
    ]
    alike_cards = (cards[numbered[one]], cards[numbered[other]])
    return Judgement(
        round(between_ranks, 3), round(between_suits, 3), round(between_faces, 3), alike_cards, tuple(doubts)
    )


def _not_read(library: Library, pictures: Mapping[str, Sequence[Picture]]) -> list[str]:
    """The cards that a library reads in none of the pictures of which it was learnt."""
    reader = DeckReader([library])
    return [
        card
        for card in library.cards
        if not card.startswith(OTHERS)
        and not any([one.name for one in reader.read(picture)] == [card] for picture in pictures[card])
    ]


def _deck(ranks: str) -> set[str]:
    return {rank + suit for rank in ranks for suit in SUITS}


def _ranks(pictures: Mapping[str, Sequence[Picture]]) -> str:
    given = {card for card, shown in pictures.items() if shown}
    strange = sorted(card for card in given - _deck(RANKS) if not card.startswith(OTHERS))
    if strange:
        raise CannotLearn(f"{' '.join(strange)}: no card; a card is AS or TH, or else joker, back or cut")
    ranks = RANKS if any(card[0] in RANKS[10:] for card in given & _deck(RANKS)) else SHORT_RANKS
    missing = [rank + suit for rank in ranks for suit in SUITS if rank + suit not in given]
    if missing:
        raise CannotLearn(f"{len(missing)} of {4 * len(ranks)} cards are missing: {' '.join(missing)}")
    return ranks


def _upright(
    found: Sequence[tuple[Picture, Shape | None]], aspect: float, height: float, card: str
) -> list[Flat]:
    """The samples of one card, all the same way up: as the first one lies."""
    flats = [lay_flat(picture, shape, aspect, height) for picture, shape in found if shape is not None]
    good = [flat for flat in flats if flat is not None]
    if not good:
        raise CannotLearn(f"{card}: not of the size and form of the others")
    first = face.traits(face.coarse(good[0].canvas)).ravel()
    kept = []
    for flat in good:
        one = face.traits(face.coarse(flat.canvas))
        turned = float(one[::-1, ::-1].ravel() @ first) > float(one.ravel() @ first)
        canvas = np.ascontiguousarray(flat.canvas[::-1, ::-1]) if turned else flat.canvas
        kept.append(replace(flat, canvas=canvas))
    return kept


def _in_place(flat: Flat, index: Index) -> Flat:
    off_px = {which: signs_of(flat.corner(which), index).off_px for which in (0, 1) if flat.corners[which]}
    return replace(flat, canvas=flat.in_place(off_px))


def _index(samples: Mapping[str, Sequence[Flat]], ranks: str) -> Index:
    corners = {
        (rank, suit): np.mean(
            [ink(flat.corner(which)).astype(np.float32) for flat in samples[rank + suit] for which in (0, 1)],
            axis=0,
        )
        for rank in ranks
        for suit in SUITS
    }
    index = find_index(corners, ranks, SUITS)
    if index is None:
        raise CannotLearn("no index was found: nothing in the corners tells ranks and suits apart")
    return index


def _mean(cells: Sequence[Picture]) -> Picture:
    return np.asarray(np.rint(np.mean(cells, axis=0)), np.uint8)


def _closest_signs(forms: Sequence[Picture], signs: int) -> float:
    """The least distance of two signs in any of their forms."""
    sign = np.arange(len(forms)) % signs
    return float(apart(tuple(forms))[sign[:, None] != sign].min())


def _closest(distances: NDArray[np.float32]) -> tuple[float, tuple[int, int]]:
    """The least distance of two that are not the same, and which these are."""
    others = distances + 2 * np.eye(len(distances), dtype=np.float32)
    one, other = divmod(int(others.argmin()), len(others))
    return float(others[one, other]), (one, other)
