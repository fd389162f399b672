"""The reader of plain cards as the eye uses it: a picture in, marks out, as of cards that carry their name
as a code.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from drivers.camera.plain.library import Library, LibraryUnusable, load
from drivers.camera.plain.outline import Picture
from drivers.camera.plain.reader import DeckReader, Sighting
from drivers.camera.wire import PRINTED, Mark

FOREIGN = "another design"
"""What a card of a design that was not learnt is called: no code map knows it."""
ENDING = ".deck"


def libraries_at(place: Path) -> list[Library]:
    """The library of a file, or all of a folder. Raises LibraryUnusable, also for one that does not trust
    itself.
    """
    files = sorted(place.glob(f"*{ENDING}")) if place.is_dir() else [place]
    if not files:
        raise LibraryUnusable(f"{place}: no file *{ENDING} in it; `deck learn` makes one")
    found = [load(file) for file in files]
    for library in found:
        if not library.trusted:
            raise LibraryUnusable(
                f"the deck {library.name} cannot be read for certain: {'; '.join(library.judgement.doubts)}"
            )
    return found


def deck_names(libraries: Sequence[Library]) -> str:
    """The decks that were learnt, and their digests."""
    return ", ".join(f"deck {library.name} {library.digest[:16]}" for library in libraries)


class PlainCards:
    """Reads the marks of a picture where the cards carry none but their print. Raises LibraryUnusable."""

    def __init__(self, place: str) -> None:
        libraries = libraries_at(Path(place))
        self.identity = deck_names(libraries)
        """Which decks were learnt, and their digests, for the record."""
        self._reader = DeckReader(libraries)

    def read(self, picture: Picture, present: bool = True) -> tuple[Mark, ...]:
        """The cards of a picture; one with an empty text where something bright is no card that can be
        told.
        """
        if not present:
            return ()
        return marks_of(self._reader.read(picture))

    def test_ms(self) -> None:
        """There is no mark to try it with."""


def marks_of(sightings: Sequence[Sighting]) -> tuple[Mark, ...]:
    """What is seen in a picture, as marks."""
    marks = [mark for sighting in sightings for mark in _marks(sighting)]
    if len(marks) < 2:
        return tuple(marks)
    # Which of them the others cover, nobody knows: none is told.
    return tuple(Mark("", PRINTED, mark.x_px, mark.y_px, mark.length_px) for mark in marks)


def _marks(sighting: Sighting) -> list[Mark]:
    shape = sighting.shape
    text = FOREIGN if sighting.verdict == "foreign" else sighting.name
    if text.startswith("back"):
        # A card that lies the wrong way round: which one it is, nobody sees.
        text = ""
    if sighting.cards == 1:
        return [Mark(text, PRINTED, round(shape.x_px, 1), round(shape.y_px, 1), round(shape.length_px, 1))]
    apart = shape.length_px / 3
    return [
        Mark("", PRINTED, round(shape.x_px + side * apart, 1), round(shape.y_px, 1), round(apart, 1))
        for side in (-1, 1)
    ]
