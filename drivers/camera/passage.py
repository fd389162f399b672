"""From pictures to cards: several agreeing pictures are a card, absence ends it. Pure; no clock, no library.

Nothing that passed is dropped and nothing is guessed. A card is told as soon as enough pictures agree, each
of which shows its code and no other. What was in view and never came to that is told as a card that was not
read, when the view is empty again. Words for people name no code: the card may have to lie face down.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from drivers.camera.wire import PRINTED, Mark, PictureSeen
from drivers.readings import CardNotRead, CardReported

Card = CardReported | CardNotRead
_GLITCH = 2
"""So many pictures are more than a torn frame or a single misread."""
_NEAR = 0.25
"""Share of a mark's length by which it may seem to move while it lies still."""


@dataclass(slots=True)
class _Track:
    """Where the card that was told last has been seen since it came into view."""

    code: str
    first: tuple[float, float]
    last: tuple[float, float]
    length_px: float

    def goes_on(self, mark: Mark, moved: bool) -> bool:
        """Whether the mark is where this card would be: still there, or further on its way."""
        step = (mark.x_px - self.last[0], mark.y_px - self.last[1])
        near = _NEAR * max(self.length_px, mark.length_px)
        if math.hypot(*step) <= near and not moved:
            return True
        way = (self.last[0] - self.first[0], self.last[1] - self.first[1])
        travelled = math.hypot(*way)
        return travelled > near and (step[0] * way[0] + step[1] * way[1]) / travelled > -near


@dataclass(slots=True)
class _Passage:
    """What has been seen since the view was last empty."""

    pictures: int = 0
    absent: int = 0
    candidate: str = ""
    candidate_from: tuple[float, float] = (0.0, 0.0)
    agreeing: int = 0
    gap: int = 0
    """Pictures in a row without a single clear code."""
    gap_moved: bool = False
    doubted: bool = False
    track: _Track | None = None
    told: set[str] = field(default_factory=set)
    unread: int = 0
    """Cards that were told as not read."""
    sightings: Counter[str] = field(default_factory=Counter)
    lately: Counter[str] = field(default_factory=Counter)
    """Sightings since the last card that was told was seen, in so many pictures (`shown`)."""
    shown: int = 0
    together: Counter[int] = field(default_factory=Counter)
    """How many pictures showed so many different codes at once."""
    hindrance: str = ""


class Passages:
    """The cards that pass one reader. Its state outlives the process that looks."""

    def __init__(self, agreeing_frames: int, marks_per_card: int = 1, least_confidence: float = 0.0) -> None:
        """`least_confidence`: the share of its pictures (0 to 1) in which a card must have been read."""
        self._needed = agreeing_frames
        self._least_confidence = least_confidence
        self._marks_per_card = marks_per_card
        self._passage: _Passage | None = None
        self.odd_sightings = 0
        """Codes that a single picture showed beside a card that was read."""

    def see(self, seen: PictureSeen) -> list[Card]:
        """What one more picture tells. Pictures in which nothing can be seen tell nothing."""
        if seen.blind is not None:
            return []
        passage = self._passage
        if not seen.present and not seen.marks:
            if passage is None:
                return []
            passage.absent += 1
            passage.gap += 1
            return self._end(passage) if passage.absent >= self._needed else []
        if passage is None:
            passage = self._passage = _Passage()
        passage.pictures += 1
        passage.shown += 1
        passage.absent = 0
        mark = self._only_code(passage, seen.marks)
        if mark is None:
            passage.gap += 1
            passage.gap_moved |= seen.moved
            return []
        return self._agree(passage, mark, seen.moved)

    def finish(self) -> list[Card]:
        """What is still to tell where no more pictures come."""
        return [] if self._passage is None else self._end(self._passage)

    def _only_code(self, passage: _Passage, marks: tuple[Mark, ...]) -> Mark | None:
        """The mark of the one code that a picture shows; None if it shows none or several."""
        clear = [mark for mark in marks if mark.text]
        codes = {mark.text for mark in clear}
        passage.sightings.update(codes)
        passage.lately.update(codes)
        if len(clear) < len(marks):
            passage.hindrance = (
                "it is no card that was learnt, or not seen well enough"
                if marks[0].symbology == PRINTED
                else "its mark holds what no card's code can hold"
            )
        # A code may be unreadable twice on one card; what has the form of a card is one each.
        counted = [mark for mark in marks if mark.text or mark.symbology == PRINTED]
        cards = max(len(codes), -(-_apart(counted) // self._marks_per_card))
        if cards > 1:
            passage.together[cards] += 1
            passage.hindrance = "several marks were in view at once"
        return clear[0] if clear and cards == 1 else None

    def _agree(self, passage: _Passage, mark: Mark, moved: bool) -> list[Card]:
        track, code = passage.track, mark.text
        came_back = track is not None and track.code == code and passage.gap >= self._needed
        if came_back and track is not None and not track.goes_on(mark, moved or passage.gap_moved):
            passage.doubted = True
            passage.candidate = ""
        passage.gap, passage.gap_moved = 0, False
        where = (mark.x_px, mark.y_px)
        if code != passage.candidate:
            passage.candidate, passage.candidate_from, passage.agreeing = code, where, 0
        passage.agreeing += 1
        if track is not None and track.code == code:
            track.last = where
            passage.shown = 0
            passage.lately.clear()
            if not passage.doubted or passage.agreeing < self._needed:
                return []
            passage.doubted = False
            passage.track = _Track(code, passage.candidate_from, where, mark.length_px)
            return [self._not_read(passage, "the same code came again, and the view was not empty between")]
        if passage.agreeing < self._needed:
            return []
        confidence = round(passage.lately[code] / passage.shown, 3)
        if confidence < self._least_confidence:
            passage.hindrance = "too few of its pictures could be read"
            return []
        passage.track = _Track(code, passage.candidate_from, where, mark.length_px)
        passage.told.add(code)
        passage.shown = 0
        passage.lately.clear()
        return [CardReported(code, None, None, confidence=confidence)]

    def _end(self, passage: _Passage) -> list[Card]:
        """The view is empty again: tell what passed and was not told."""
        self._passage = None
        left = {code: count for code, count in passage.sightings.items() if code not in passage.told}
        if not passage.told and not passage.unread:
            if passage.pictures < min(_GLITCH, self._needed):
                return []
            most = max((cards for cards, count in passage.together.items() if count >= _GLITCH), default=1)
            why = passage.hindrance or ("no frames agreed" if left else "no mark was read")
            return [self._not_read(passage, f"something passed unread: {why}") for _ in range(most)]
        self.odd_sightings += sum(count < _GLITCH for count in left.values())
        cards: list[Card] = [
            self._not_read(passage, "a second card passed with too few frames that agree")
            for count in left.values()
            if count >= _GLITCH
        ]
        if passage.doubted:
            cards.append(self._not_read(passage, "the same code came again for a moment"))
        return cards

    def _not_read(self, passage: _Passage, why: str) -> CardNotRead:
        passage.unread += 1
        return CardNotRead(f"{why} ({passage.pictures} pictures)")


def _apart(marks: list[Mark]) -> int:
    """The most places at which marks of one text lie, further apart than a mark is long."""
    places: dict[str, list[Mark]] = {}
    for mark in marks:
        others = places.setdefault(mark.text, [])
        if all(math.hypot(mark.x_px - o.x_px, mark.y_px - o.y_px) > max(mark.length_px, 1) for o in others):
            others.append(mark)
    return max((len(others) for others in places.values()), default=0)
