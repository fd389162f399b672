"""In how many ways a spot wins what, and what the house keeps of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from controller.games.ratio import parse_ratio
from controller.vocabulary.outcomes import SpotOutcome


class SpotWays(NamedTuple):
    """Of ``total`` equally likely ways, those in which the spot wins, by the ratio it pays, and those in
    which it pushes; in all others it loses."""

    wins: Mapping[str, int]
    pushes: int
    total: int

    @property
    def probability(self) -> Fraction:
        """How likely the spot wins."""
        return Fraction(sum(self.wins.values()), self.total)

    @property
    def returned(self) -> Fraction:
        """What comes back of one unit on average, the stake included."""
        won, each = self.pushes, 1
        for pays, ways in self.wins.items():
            ratio = parse_ratio(pays)
            won = won * ratio.denominator + ways * (ratio.numerator + ratio.denominator) * each
            each *= ratio.denominator
        return Fraction(won, each * self.total)

    @property
    def house_edge(self) -> Fraction:
        """What the house keeps of one unit on average; below 0 the bet favours the player."""
        return 1 - self.returned


def counted(results: Iterable[tuple[SpotOutcome, int]], total: int) -> SpotWays:
    """The ways of one spot, from its results and the ways to each of them."""
    wins: dict[str, int] = {}
    pushes = 0
    for result, ways in results:
        if result.result == "win" and result.pays is not None:
            wins[result.pays] = wins.get(result.pays, 0) + ways
        elif result.result == "push":
            pushes += ways
    return SpotWays({pays: ways for pays, ways in wins.items() if ways}, pushes, total)
