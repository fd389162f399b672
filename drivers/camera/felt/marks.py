"""The reader of a felt as the eye uses it: a picture in, a mark for each card that is told."""

from __future__ import annotations

from pathlib import Path

from drivers.camera.felt.reader import FeltReader
from drivers.camera.plain.marks import deck_names, libraries_at
from drivers.camera.plain.outline import Picture
from drivers.camera.wire import PRINTED, Mark


class FeltCards:
    """Reads the cards that lie in view. Raises LibraryUnusable."""

    def __init__(self, place: str) -> None:
        libraries = libraries_at(Path(place))
        self.identity = deck_names(libraries)
        """Which decks were learnt, and their digests, for the record."""
        self._reader = FeltReader(libraries)

    def read(self, picture: Picture, present: bool = True) -> tuple[Mark, ...]:
        """The cards of a picture, whether or not it differs from the usual view: cards lie still for long."""
        return tuple(
            Mark(card.name, PRINTED, round(card.x_px, 1), round(card.y_px, 1), round(card.height_px, 1))
            for card in self._reader.read(picture)
        )

    def test_ms(self) -> None:
        """There is no mark to try it with."""
