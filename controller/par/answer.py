"""What ``par`` says of a spot: in how many equally likely ways it ends how, and what return follows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

import msgspec
from msgspec import UNSET, UnsetType

from controller.games.ratio import parse_ratio
from controller.odds.spot_ways import SpotWays
from controller.vocabulary.outcomes import SpotOutcome
from controller.vocabulary.values import PayTableName

NOT_PLACED = "not_placed"
"""Ways in which the bet does not come to be; they are no part of its return."""


class SpotReturn(msgspec.Struct, frozen=True):
    """One spot of a pay table."""

    ways: Mapping[str, int]
    """How the spot ends -> ways: the ratios that it pays, ``push``, ``lose`` (and ``not_placed``)."""
    stated: Fraction | None = None
    """The return where it is not that of the ways alone (an Ante with the Play bet that it leads to)."""
    basis: str = ""
    """What the stated return is counted on, for people."""

    @property
    def total(self) -> int:
        return sum(self.ways.values())

    @property
    def own_return(self) -> Fraction:
        """What comes back of one unit staked, the stake included."""
        placed = self.total - self.ways.get(NOT_PLACED, 0)
        back = sum((returned(ending) * ways for ending, ways in self.ways.items()), Fraction(0))
        return back / placed

    @property
    def share(self) -> Fraction:
        """The return that is told."""
        return self.own_return if self.stated is None else self.stated

    def answer(self) -> SpotPar:
        """As ``par`` answers it."""
        share = self.share
        return SpotPar(
            ways=dict(self.ways),
            total=self.total,
            share=f"{share.numerator}/{share.denominator}",
            house_edge=float(1 - share),
            basis=self.basis or UNSET,
        )


class SpotPar(msgspec.Struct, frozen=True, kw_only=True):
    """A spot in the answer of ``par``; ``return`` is the exact fraction that comes back of a unit staked."""

    ways: dict[str, int]
    total: int
    share: str = msgspec.field(name="return")
    house_edge: float
    basis: str | UnsetType = UNSET


class PayTableReturn(msgspec.Struct, frozen=True):
    """The answer of ``par``."""

    game: str
    pay_table: PayTableName
    spots: dict[str, SpotPar]


def from_ways(found: Mapping[str, SpotWays]) -> dict[str, SpotReturn]:
    """The returns of spots whose ways are counted; what is neither won nor pushed is lost."""
    returns = {}
    for spot, ways in found.items():
        lost = ways.total - ways.pushes - sum(ways.wins.values())
        ends = {**ways.wins, "push": ways.pushes, "lose": lost}
        returns[spot] = SpotReturn(_ordered({end: number for end, number in ends.items() if number}))
    return returns


def returned(ending: str) -> Fraction:
    """What comes back of one unit when the spot ends so."""
    if ending == "push":
        return Fraction(1)
    return Fraction(0) if ending in ("lose", NOT_PLACED) else 1 + parse_ratio(ending)


def ending(result: SpotOutcome) -> str:
    """How a spot ended, as the key of its ways: the ratio of a win, else the result's own word."""
    return result.pays or result.result


def tallied(results: Iterable[tuple[SpotOutcome, int]]) -> SpotReturn:
    """The return of one spot from its results and the ways to each of them."""
    ways: Counter[str] = Counter()
    for result, number in results:
        ways[ending(result)] += number
    return SpotReturn(_ordered(ways))


def _ordered(ways: Mapping[str, int]) -> dict[str, int]:
    """Wins first, the highest before all, then push and lose."""
    return dict(sorted(ways.items(), key=lambda end: (end[0] in ("push", "lose"), -returned(end[0]))))
