"""The search of ``make exhaust`` at a smaller bound: every table with one mishap, one of them with two."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest

from controller.vocabulary.irregularities import KINDS
from tests.exhaust.search import Found, search
from tests.exhaust.tiny import TABLES, tiny_games
from tests.harness.patience import PATIENCE_S

SWITCHED_OFF = {
    *("duplicate_serial", "not_shuffled", "wrong_position", "rapid_repeat", "reread_mismatch"),
}
"""Needs more than the cards of a tiny deck and one mishap tell."""
LONGEST = 6
"""Keys from any state to the next open round."""


@cache
def seen(table: str, mishaps: int) -> Found:
    """What a search sees; every state within the bound was looked at."""
    with tiny_games():
        found = search(table, mishaps=mishaps)
    assert found.whole
    assert found.longest_way_out <= LONGEST
    return found


@pytest.mark.parametrize("table", TABLES)
def test_one_mishap_at_any_moment(table: str) -> None:
    found = seen(table, 1)
    assert found.states > 150
    assert {"betting", "dealing", "idle", "settled"} <= found.phases


def test_the_program_looks_at_every_table() -> None:
    """In processes of its own, as ``make exhaust`` runs it."""
    program = (sys.executable, "-m", "tests.exhaust", "--mishaps", "0")
    told = subprocess.run(program, capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout
    assert set(TABLES) <= set(told.splitlines())


def test_two_mishaps_at_any_two_moments() -> None:
    assert seen(TABLES[0], 2).states > 2_000


def test_the_searches_meet_every_reason_of_a_hold() -> None:
    reasons = set().union(*(seen(table, 1).reasons for table in TABLES))
    assert reasons >= set(KINDS) - SWITCHED_OFF
