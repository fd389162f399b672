"""How fast a table deals, from the game numbers of its last rounds: times at which they began. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET, UnsetType

from controller.vocabulary.errors import read_json
from controller.vocabulary.values import GameNumber

FEWEST = 4
"""Rounds; fewer tell nothing."""
HOUR_S = 3600
DAY_S = 24 * HOUR_S


class Begun(msgspec.Struct, frozen=True):
    """What is read of one of the last rounds."""

    game_number: GameNumber
    void: msgspec.Raw | UnsetType = UNSET


def hands_an_hour(rounds: Sequence[msgspec.Raw]) -> int | None:
    """Rounds that stand, an hour, over those of ``rounds`` (oldest first) that began within an hour of the
    newest; None where they are too few.
    """
    begun = [read for one in rounds if (read := read_json(one, Begun)) is not None]
    if not begun:
        return None
    newest_s = _seconds(begun[-1].game_number)
    ago_s = [(newest_s - _seconds(one.game_number)) % DAY_S for one in begun]
    stand_s = [ago for one, ago in zip(begun, ago_s, strict=True) if one.void is UNSET and ago <= HOUR_S]
    if len(stand_s) < FEWEST or stand_s[0] == 0:
        return None
    # From the beginning of the first to that of the newest, which itself took none of this time.
    return round(HOUR_S * (len(stand_s) - (stand_s[-1] == 0)) / stand_s[0])


def _seconds(game_number: str) -> int:
    hours, minutes, seconds = map(int, game_number.split(":"))
    return HOUR_S * hours + 60 * minutes + seconds
