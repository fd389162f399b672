"""Whatever happens in whatever order: the books balance, and every balance is what ``settle`` says."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.wagering.database import Database
from tests.harness.postgres import Postgres
from tests.wagering.evening import GAMES, Evening


def play(url: str, game: str, dice: random.Random, rounds: int) -> None:
    database = Database(url)
    evening = Evening(database, game, dice)
    for _ in range(rounds):
        evening.round()
        assert evening.seats.faults() == []
    expected = evening.expected()
    assert {player: evening.seats.balance(player) for player in expected} == expected
    evening.seats.again()
    assert {player: evening.seats.balance(player) for player in expected} == expected
    assert evening.seats.faults() == []
    assert evening.seats.account("ada")["open"] == []
    database.close()


@pytest.mark.parametrize("game", GAMES)
@settings(max_examples=4, suppress_health_check=list(HealthCheck))
@given(dice=st.randoms(use_true_random=False))
def test_every_balance_is_what_settle_says(game: str, dice: random.Random) -> None:
    with TemporaryDirectory() as folder:
        play(f"sqlite:///{Path(folder) / 'books.db'}", game, dice, rounds=2)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_over_many_rounds_in_both_databases(game: str, postgres: Postgres, tmp_path: Path) -> None:
    for url in (f"sqlite:///{tmp_path / 'books.db'}", postgres.database()):
        play(url, game, random.Random(f"{game} 17"), rounds=6)
