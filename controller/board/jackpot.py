"""A house's jackpot, from a file that the house's own system writes; checked before it is shown."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

import time
from pathlib import Path
from typing import Annotated

import msgspec

from controller.vocabulary.errors import ConfigurationError, read_json, why

STALE_S = 600.0
"""A file that nobody has written for so long says nothing: better none than an amount of yesterday."""
WANTED = 'expected {"name": a text, "amount": minor units, "currency": as EUR}'


class Jackpot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the file holds."""

    name: Annotated[str, msgspec.Meta(min_length=1, max_length=40)]
    amount: Annotated[int, msgspec.Meta(ge=0, le=10**15)]
    """Minor units."""
    currency: Annotated[str, msgspec.Meta(pattern=r"^[A-Z]{3}$(?!\n)", description="as EUR")]


def jackpot_now(file: Path) -> Jackpot | None:
    """What the file says; None where there is none, it is none of ours or older than :data:`STALE_S`."""
    try:
        stale = abs(time.time() - file.stat().st_mtime) > STALE_S  # a clock may have been set back
        return None if stale else read_json(file.read_bytes(), Jackpot)
    except OSError:
        return None


def check_jackpot(name: str | None) -> None:
    """:class:`ConfigurationError` where a file is there and is none of ours; one may come later."""
    if name is None or not Path(name).exists():
        return
    try:
        told = read_json(Path(name).read_bytes(), Jackpot)
    except OSError as error:
        raise ConfigurationError(f"board.jackpot: {name}: {why(error)}") from error
    if told is None:
        raise ConfigurationError(f"board.jackpot: {name}: {WANTED}")
