"""Scoreboards of a shoe: the bead plate, the big road, three derived roads, the ask-road."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from controller.vocabulary.values import Count

Winner = Literal["player", "banker", "tie"]
Colour = Literal["red", "blue"]


class Bead(msgspec.Struct, frozen=True, kw_only=True):
    """One round on the bead plate."""

    winner: Winner
    player_pair: bool | UnsetType = UNSET
    banker_pair: bool | UnsetType = UNSET
    natural: bool | UnsetType = UNSET


class BigRoadEntry(msgspec.Struct, frozen=True):
    """A cell of the big road, on six rows as drawn."""

    column: Count
    row: Annotated[int, Meta(ge=0, le=5)]
    winner: Winner
    ties: Count


class Ask(msgspec.Struct, frozen=True):
    """What the three derived roads would show after each winner."""

    player: tuple[Colour | None, ...]
    banker: tuple[Colour | None, ...]


class Scoreboard(msgspec.Struct, frozen=True):
    """Baccarat scoreboards of this shoe."""

    bead: tuple[Bead, ...]
    big_road: tuple[BigRoadEntry, ...]
    big_eye_boy: tuple[Colour, ...]
    small_road: tuple[Colour, ...]
    cockroach_pig: tuple[Colour, ...]
    ask: Ask
