"""The floor's count finds what is lost, reordered, doubled or changed."""

from __future__ import annotations

import importlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.floor.counting import Counted, Row, counted
from tests.floor.material import Saying
from tests.floor.recorded import TIME

BEGAN = datetime(2026, 1, 31, 20, tzinfo=UTC)


def said(table: str, count: int = 5) -> tuple[list[Row], tuple[int, str]]:
    """The rows of a table, and where its stream ended."""
    saying = Saying(table, 5)
    entries = [saying.next(TIME) for _ in range(count)]
    rows: list[Row] = [
        (table, one.sequence, f"5-{one.sequence}", one.body, BEGAN + timedelta(seconds=one.sequence))
        for one in entries
    ]
    return rows, (count, entries[-1].hash)


def test_all_is_well() -> None:
    (rows, end), (more, other) = said("t1"), said("t2", 3)
    assert counted([*rows, *more], {"t1": end, "t2": other}) == Counted(messages=8)


@pytest.mark.parametrize("place", [0, 2, 4])
def test_a_message_that_is_lost(place: int) -> None:
    rows, end = said("t1")
    found = counted(rows[:place] + rows[place + 1 :], {"t1": end})
    assert found.lost == 1
    assert not found.well


def test_a_table_of_which_nothing_came() -> None:
    rows, end = said("t1")
    found = counted(rows, {"t1": end, "t2": said("t2")[1]})
    assert (found.lost, found.broken) == (5, 0)


def test_a_message_that_was_changed() -> None:
    rows, end = said("t1")
    for place in (1, 4):
        changed = [*rows]
        changed[place] = (*rows[place][:3], rows[place][3].replace(b"live", b"Live"), rows[place][4])
        assert counted(changed, {"t1": end}).broken == 1


def test_a_message_that_was_recorded_before_the_one_before_it() -> None:
    rows, end = said("t1")
    rows[2] = (*rows[2][:4], BEGAN)
    assert counted(rows, {"t1": end}).reordered == 1


def test_a_message_under_two_numbers() -> None:
    rows, end = said("t1")
    rows[3] = (*rows[3][:2], rows[2][2], *rows[3][3:])
    assert counted(rows, {"t1": end}).doubled == 1


def test_every_part_of_the_floor_can_be_started() -> None:
    """``make floor`` is no test that runs each day: what it is made of must not come apart meanwhile."""
    parts = [path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("test_")]
    assert len(parts) > 8
    for part in parts:
        importlib.import_module(f"tests.floor.{part}")
