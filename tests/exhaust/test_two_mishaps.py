"""The search of ``make exhaust`` at a smaller bound: every table with one mishap, one of them with two."""

from __future__ import annotations

import pytest

from controller.vocabulary.irregularities import KINDS
from tests.exhaust.search import search
from tests.exhaust.tables import TABLES
from tests.exhaust.tiny import tiny_games

SWITCHED_OFF = {"duplicate_serial", "not_shuffled", "wrong_position", "rapid_repeat", "reread_mismatch"}
"""Needs more than the cards of a tiny deck and one mishap tell."""
LONGEST = 6
"""Keys from any state to the next open round."""


@pytest.mark.parametrize("table", TABLES)
def test_one_mishap_at_any_moment(table: str) -> None:
    with tiny_games():
        found = search(table, mishaps=1)
    assert found.whole
    assert found.states > 150
    assert found.longest_way_out <= LONGEST
    assert {"betting", "dealing", "idle", "settled"} <= found.phases


def test_two_mishaps_at_any_two_moments() -> None:
    with tiny_games():
        found = search(TABLES[0], mishaps=2)
    assert found.whole
    assert found.states > 2_000
    assert found.longest_way_out <= LONGEST


def test_the_searches_meet_every_reason_of_a_hold() -> None:
    reasons: set[str] = set()
    with tiny_games():
        for table in TABLES:
            reasons |= search(table, mishaps=1).reasons
    assert reasons >= set(KINDS) - SWITCHED_OFF
