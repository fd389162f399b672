"""What a player may stake: the limits of a table, in minor units of its currency."""

# No `from __future__ import annotations`: msgspec would evaluate every annotation as text, at each start.

from typing import Annotated

import msgspec

MOST_STAKE_MINOR = 2**53 - 1
"""The greatest integer that every reader of JSON keeps exactly."""

Minor = Annotated[int, msgspec.Meta(ge=0, le=MOST_STAKE_MINOR)]


class Limit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The least and the most that one player has on a spot in a round, all his bets on it together."""

    min: Minor
    """Minor units; 0: any stake will do."""
    max: Annotated[int, msgspec.Meta(ge=1, le=MOST_STAKE_MINOR)]
    """Minor units."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[limits]``: shown on boards and carried in ``round.opened``; whoever takes the bets holds to them."""

    currency: Annotated[
        str,
        msgspec.Meta(pattern=r"^[A-Z]{3}$(?!\n)", description='the code of a currency (ISO 4217), as "EUR"'),
    ]
    """What the table plays for; an amount counts its minor units, cents as a rule."""
    table: Limit | None = None
    """For each spot that has no limit of its own; left out: such a spot has none."""
    spots: dict[str, Limit] = {}
    """Spot -> a limit of its own, as `{ tie = { min = 500, max = 50000 } }`; where spots stand for each hand
    or seat, `bonus` is that of all of them. A bet that appears by itself (Play) has none."""

    def named(self, spot: str) -> Limit | None:
        """What is said of this spot: under its name, or of all hands together."""
        return self.spots.get(spot) or self.spots.get(wager_of(spot))

    def of(self, spot: str) -> Limit | None:
        """The limit of a spot; None where it has none."""
        return self.named(spot) or self.table


def wager_of(spot: str) -> str:
    """``bonus`` of ``hand1.bonus``; a spot of the whole table is its own."""
    return spot.rpartition(".")[2]
