"""The baccarat coefficients as they lie in the package: bytes by known cards, state and outcome."""

from __future__ import annotations

from functools import cache

from controller.odds.multisets import count
from controller.odds.tableau import OUTCOMES
from controller.odds.tables import load

MOST_KNOWN = 4
"""Tables reach to four known cards; what is left then needs none."""


@cache
def _table(known: int) -> memoryview:
    """The coefficients of all states after so many known cards."""
    return memoryview(load(f"baccarat-{known}"))


def of_state(known: int, state: int) -> memoryview:
    """A byte for each outcome and multiset of the 6 - ``known`` unseen cards, in the order of the tables."""
    length = OUTCOMES * count(6 - known)
    return _table(known)[state * length : (state + 1) * length]
