"""Whatever comes again and again: the holds stay few, and a few keys lead to the next open round."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.scenarios.conversation import talk
from tests.scenarios.rescue import rescue

MOST_KEYS = 6
TIMES = 200
"""Findings, one after the other."""
MOST_HOLDS = 6
STATES = {
    "no shoe": "baccarat",
    "before the first round": "baccarat|SHOE 416",
    "bets are open": "baccarat|SHOE 416; OPEN",
    "in the deal": "baccarat|SHOE 416; OPEN; CLOSE; 8S",
    "between rounds": "baccarat|SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED",
    "another shoe": "baccarat|SHOE 416; OPEN; CLOSE; 8S 5C KC 2D; SETTLED; SHOE 416",
    "one deck": "casino-holdem|SHOE 52; OPEN; CLOSE; AS",
    "a shoe in doubt": "baccarat|SHUFFLED 415; SHOE 416",
}
AGAIN = (
    "??",
    "XX",
    "AS#1",
    "MISSED shoe",
    "COUNT 415",
    "RESULT banker",
    "EMPTY",
    "LOST shoe; BACK shoe",
    "HOLD",
)


@pytest.mark.parametrize("state", STATES)
def test_two_hundred_alternating_findings(state: str) -> None:
    table, _, before = STATES[state].partition("|")
    for one, other in pairwise((*AGAIN, AGAIN[0])):
        conversation = talk(table, before)
        for _ in range(TIMES // 2):
            conversation.say(f"{one}; {other}")
        assert len(conversation.state.holds) <= MOST_HOLDS, (one, other)
        assert len(rescue(conversation)) <= MOST_KEYS, (one, other)
