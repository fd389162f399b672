"""Debouncing: what bounces is one change, dated to its first edge; what is too short is none; nothing is
invented.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.gpio.debounce import Change, Debounce, Freed, Stuck, Turned

Edge = tuple[int, bool]
DOWN, UP = True, False

CASES: list[tuple[str, bool, list[Edge], list[Change]]] = [
    ("a clean press", False, [(10, DOWN)], [Turned(True, 10, 10)]),
    ("a press and its release", False, [(10, DOWN), (60, UP)], [Turned(True, 10, 10), Turned(False, 60, 50)]),
    ("a press that bounces", False, [(10, DOWN), (12, UP), (15, DOWN)], [Turned(True, 15, 15)]),
    ("a release that bounces", False, [(10, DOWN), (50, UP), (53, DOWN), (55, UP)],
     [Turned(True, 10, 10), Turned(False, 55, 45)]),
    ("a spike", False, [(10, DOWN), (15, UP)], []),
    ("a spike counts at once in a beam", True, [(10, DOWN), (15, UP)],
     [Turned(True, 10, 10), Turned(False, 15, 5)]),
    ("a beam that flickers is one break", True, [(10, DOWN), (15, UP), (18, DOWN), (40, UP)],
     [Turned(True, 10, 10), Turned(False, 40, 30)]),
    ("the same level again is no edge", False, [(10, DOWN), (15, DOWN), (60, UP)],
     [Turned(True, 10, 10), Turned(False, 60, 50)]),
    ("late news keeps its own time", False, [(10, DOWN), (30, UP), (31, DOWN)], [Turned(True, 10, 10)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("at_once", "edges", "changes"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_edges(at_once: bool, edges: list[Edge], changes: list[Change]) -> None:
    debounce = Debounce(20, 0, active=False, now_ns=0, at_once=at_once)
    told = [change for at, level in edges for change in debounce.edge(level, at)]
    assert told + debounce.pass_time(1000) == changes


def test_an_input_that_stays_active_is_stuck_once_and_freed_once() -> None:
    debounce = Debounce(20, 100, active=False, now_ns=0)
    assert debounce.edge(DOWN, 10) == []
    assert debounce.deadline_ns() == 30
    assert debounce.pass_time(30) == [Turned(True, 10, 10)]
    assert debounce.deadline_ns() == 110
    assert debounce.pass_time(110) == [Stuck()]
    assert debounce.deadline_ns() is None
    assert debounce.pass_time(500) == []
    assert debounce.edge(UP, 600) == []
    assert debounce.pass_time(620) == [Turned(False, 600, 590), Freed()]


def test_an_input_that_is_active_from_the_beginning_can_be_stuck() -> None:
    assert Debounce(20, 100, active=True, now_ns=0).pass_time(100) == [Stuck()]


@given(st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=40), st.booleans(), st.booleans())
def test_changes_alternate_are_dated_in_order_and_end_at_the_last_level(
    steps: list[tuple[int, bool]], active: bool, at_once: bool
) -> None:
    debounce, now, level = Debounce(20, 0, active, 0, at_once), 0, active
    told: list[Change] = []
    for wait, level in steps:  # the last level is the point
        now += wait
        told += debounce.edge(level, now)
    told += debounce.pass_time(now + 20)
    turns = [change for change in told if isinstance(change, Turned)]
    assert turns == told
    assert [turn.active for turn in turns] == [(not active) ^ bool(i % 2) for i in range(len(turns))]
    assert [turn.at_ns for turn in turns] == sorted(turn.at_ns for turn in turns)
    assert all(turn.lasted_ns >= 0 for turn in turns)
    assert (turns[-1].active if turns else active) == level
