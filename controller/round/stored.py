"""States that were stored as JSON, read again, also those that an earlier version wrote."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import msgspec

from controller.games.game import Game
from controller.games.registry import all_games
from controller.vocabulary.codec import canonical
from controller.vocabulary.display import Last, LastResult, LastVoid
from controller.vocabulary.outcomes import Outcome

KindT = TypeVar("KindT")


def stored(kind: type[KindT]) -> msgspec.json.Decoder[KindT]:
    """A decoder of ``kind``, in which there may be outcomes of any game."""
    return msgspec.json.Decoder(kind, dec_hook=_read)


def _read(kind: type, value: object) -> object:
    """An outcome is that of whichever game has one of this shape: a table may have changed its game since."""
    if kind is object:
        return value
    if kind is Last:
        last = LastResult if isinstance(value, dict) and value.get("kind") == "result" else LastVoid
        return msgspec.convert(value, last, dec_hook=_read)
    if kind is Outcome:
        for game in _loaded_first():
            try:
                outcome = msgspec.convert(value, game.outcome_type)
            except msgspec.ValidationError:
                continue
            if canonical(outcome) == canonical(value):  # a struct may pass over what it does not know
                return outcome
    raise ValueError(f"no {kind.__name__} of ours")


def _loaded_first() -> Iterator[type[Game]]:
    """All games; those that the table never played are imported only where none of the others fits."""
    yield from Game.__subclasses__()
    yield from all_games().values()
