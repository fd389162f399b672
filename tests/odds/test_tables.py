"""The tables in the package are those that the rules build, and they are small."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from controller.odds import tables
from controller.odds.keys import HIGH_NUMBERS, LOW_NUMBERS, TABLE_LENGTHS
from controller.odds.multisets import count, multisets
from controller.odds.tableau import coefficients
from making.odds.tables import FOLDER, build, write

KIB = 1024


def test_the_tables_are_what_the_rules_build() -> None:
    built = build()
    assert {path.stem for path in FOLDER.glob("*.bin")} == set(built)
    for name, content in built.items():
        assert tables.load(name) == content, f"{name}.bin is stale: run python -m making.odds"


def test_the_command_writes_them(tmp_path: Path) -> None:
    write(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in FOLDER.glob("*.bin")}


def test_the_tables_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.bin")) <= 512 * KIB
    assert len(tables.load("seven")) == 2 * sum(TABLE_LENGTHS.values()) <= 256 * KIB


@pytest.mark.parametrize("numbers", [LOW_NUMBERS, HIGH_NUMBERS], ids=["low", "high"])
def test_the_sums_of_rank_numbers_are_all_different(numbers: tuple[int, ...]) -> None:
    parts = [part for part in product(range(5), repeat=len(numbers)) if sum(part) <= 7]
    sums = {sum(times * number for times, number in zip(part, numbers, strict=True)) for part in parts}
    assert len(sums) == len(parts)


@pytest.mark.parametrize("unseen", range(7))
def test_multisets_are_numbered_once_each(unseen: int) -> None:
    numbered = list(multisets(unseen))
    assert len(numbered) == len(set(numbered)) == count(unseen)


def test_every_order_of_a_multiset_has_one_outcome() -> None:
    """Six cards of which three are of one class and the rest differ have 6! / 3! orders, and so on."""
    found = coefficients(0, 0)
    length = count(6)
    sums = [sum(found[start::length]) for start in range(length)]
    assert sum(sums) == 10**6
    assert max(sums) == 720
    assert sums.count(1) == 10
